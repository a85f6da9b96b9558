import type { SchemaChange } from './schema-change.server.ts';

export const rights: SchemaChange = {
  sqlite: [
    `alter table exports add column moved_at bigint`,
    `update exports set moved_at = created_at`,
    `create index exports_in_line on exports (company_id, created_at) where status = 'PENDING'`,
    `create table share_domains (company_id text not null references firms, domain text not null, primary key (company_id, domain))`,
  ],
  postgres: [
    `alter table exports add column moved_at bigint`,
    `update exports set moved_at = created_at`,
    `create index exports_in_line on exports (company_id, created_at) where status = 'PENDING'`,
    `create table share_domains (company_id text collate "C" not null references firms, domain text collate "C" not null, primary key (company_id, domain))`,
  ],
};
