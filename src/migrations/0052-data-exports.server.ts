import type { SchemaChange } from './schema-change.server.ts';

/** Exports of all the data of a client or of the firm. */
export const dataExports: SchemaChange = {
  sqlite: [
    `create table data_exports (export_id text primary key, company_id text not null references firms, contact_id text not null references contacts, client_id text references clients, state text not null, problem text not null default '', language text not null, attempt bigint not null default 0, written bigint not null default 0, total bigint not null, omitted bigint not null default 0, size bigint not null default 0, sha256 text not null default '', blob_key text, created_at bigint not null, finished_at bigint, expires_at bigint)`,
    `create index data_exports_of_firm on data_exports (company_id, created_at)`,
    `create unique index data_exports_at_work on data_exports (company_id) where state in ('waiting', 'building')`,
  ],
  postgres: [
    `create table data_exports (export_id text collate "C" primary key, company_id text collate "C" not null references firms, contact_id text collate "C" not null references contacts, client_id text collate "C" references clients, state text collate "C" not null, problem text collate "C" not null default '', language text collate "C" not null, attempt bigint not null default 0, written bigint not null default 0, total bigint not null, omitted bigint not null default 0, size bigint not null default 0, sha256 text collate "C" not null default '', blob_key text collate "C", created_at bigint not null, finished_at bigint, expires_at bigint)`,
    `create index data_exports_of_firm on data_exports (company_id, created_at)`,
    `create unique index data_exports_at_work on data_exports (company_id) where state in ('waiting', 'building')`,
  ],
};
