import type { SchemaChange } from './schema-change.server.ts';

/** Imports of clients, contacts and their links, row by row. */
export const imports: SchemaChange = {
  sqlite: [
    `create table imports (import_id text primary key, company_id text not null references firms, contact_id text not null references contacts, kind text not null, state text not null, file_name text not null, columns text not null, mapping text not null default '[]', total bigint not null, position bigint not null default 0, invites smallint not null default 0, invited bigint not null default 0, created_at bigint not null, moved_at bigint not null, finished_at bigint)`,
    `create index imports_of_firm on imports (company_id, created_at)`,
    `create table import_rows (import_id text not null references imports, number bigint not null, line bigint not null, cells text not null, row_key text not null default '', action text not null default '', state text not null default 'waiting', problems text not null default '[]', changes text not null default '[]', target_id text not null default '', before_image text, primary key (import_id, number))`,
    `create index import_rows_by_key on import_rows (import_id, row_key, number)`,
  ],
  postgres: [
    `create table imports (import_id text collate "C" primary key, company_id text collate "C" not null references firms, contact_id text collate "C" not null references contacts, kind text collate "C" not null, state text collate "C" not null, file_name text collate "C" not null, columns text collate "C" not null, mapping text collate "C" not null default '[]', total bigint not null, position bigint not null default 0, invites smallint not null default 0, invited bigint not null default 0, created_at bigint not null, moved_at bigint not null, finished_at bigint)`,
    `create index imports_of_firm on imports (company_id, created_at)`,
    `create table import_rows (import_id text collate "C" not null references imports, number bigint not null, line bigint not null, cells text collate "C" not null, row_key text collate "C" not null default '', action text collate "C" not null default '', state text collate "C" not null default 'waiting', problems text collate "C" not null default '[]', changes text collate "C" not null default '[]', target_id text collate "C" not null default '', before_image text collate "C", primary key (import_id, number))`,
    `create index import_rows_by_key on import_rows (import_id, row_key, number)`,
  ],
};
