import type { SchemaChange } from './schema-change.server.ts';

export const exportsReceipts: SchemaChange = {
  sqlite: [
    `create table exports (export_id text primary key, company_id text not null references firms, contact_id text not null references contacts,
  status text not null, files text not null, missing text not null, checked bigint not null, total bigint not null, size bigint not null,
  created_at bigint not null, ends_at bigint not null)`,
    `create index exports_by_end on exports (ends_at)`,
    `alter table audit_heads add column receipts bigint not null default 0`,
    `alter table audit_heads add column receipts_hash text not null default '0000000000000000000000000000000000000000000000000000000000000000'`,
    `create table receipts (company_id text not null references firms, number bigint not null, kind text not null, document_id text not null,
  client_id text not null, name text not null, size bigint not null, sha256 text not null, actor text not null, at bigint not null,
  code text not null, hash text not null, primary key (company_id, number))`,
    `create index receipts_by_client on receipts (company_id, client_id, number)`,
    `create index receipts_by_number on receipts (number, code)`,
    `create index receipts_by_digest on receipts (sha256)
`,
  ],
  postgres: [
    `create table exports (export_id text collate "C" primary key, company_id text collate "C" not null references firms, contact_id text collate "C" not null references contacts,
  status text collate "C" not null, files text collate "C" not null, missing text collate "C" not null, checked bigint not null, total bigint not null, size bigint not null,
  created_at bigint not null, ends_at bigint not null)`,
    `create index exports_by_end on exports (ends_at)`,
    `alter table audit_heads add column receipts bigint not null default 0`,
    `alter table audit_heads add column receipts_hash text collate "C" not null default '0000000000000000000000000000000000000000000000000000000000000000'`,
    `create table receipts (company_id text collate "C" not null references firms, number bigint not null, kind text collate "C" not null, document_id text collate "C" not null,
  client_id text collate "C" not null, name text collate "C" not null, size bigint not null, sha256 text collate "C" not null, actor text collate "C" not null, at bigint not null,
  code text collate "C" not null, hash text collate "C" not null, primary key (company_id, number))`,
    `create index receipts_by_client on receipts (company_id, client_id, number)`,
    `create index receipts_by_number on receipts (number, code)`,
    `create index receipts_by_digest on receipts (sha256)`,
  ],
};
