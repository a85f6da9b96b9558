import type { SchemaChange } from './schema-change.server.ts';

export const auditAnchors: SchemaChange = {
  sqlite: [
    `create table views (view_id text primary key, company_id text not null references firms, staff_contact_id text not null references contacts,
  contact_id text not null references contacts, reason text not null, started_at bigint not null)`,
    `alter table audit add column client_id text`,
    `create index audit_by_client on audit (company_id, client_id, seq)`,
    `create index audit_by_target on audit (company_id, target, seq)
`,
  ],
  postgres: [
    `create table views (view_id text collate "C" primary key, company_id text collate "C" not null references firms, staff_contact_id text collate "C" not null references contacts,
  contact_id text collate "C" not null references contacts, reason text collate "C" not null, started_at bigint not null)`,
    `alter table audit add column client_id text collate "C"`,
    `create index audit_by_client on audit (company_id, client_id, seq)`,
    `create index audit_by_target on audit (company_id, target, seq)`,
  ],
};
