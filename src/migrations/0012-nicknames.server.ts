import type { SchemaChange } from './schema-change.server.ts';

export const nicknames: SchemaChange = {
  sqlite: [
    `alter table clients add column code_key text not null default ''`,
    `alter table clients add column doing_business_as text`,
    `alter table clients add column nickname text`,
    `alter table clients add column nickname_key text not null default ''`,
    `alter table clients add column modified_at bigint not null default 0`,
    `update clients set code_key = lower(code), modified_at = created_at`,
    `create index clients_by_code on clients (company_id, code_key)
`,
  ],
  postgres: [
    `alter table clients add column code_key text collate "C" not null default ''`,
    `alter table clients add column doing_business_as text collate "C"`,
    `alter table clients add column nickname text collate "C"`,
    `alter table clients add column nickname_key text collate "C" not null default ''`,
    `alter table clients add column modified_at bigint not null default 0`,
    `update clients set code_key = lower(code), modified_at = created_at`,
    `create index clients_by_code on clients (company_id, code_key)`,
  ],
};
