import type { SchemaChange } from './schema-change.server.ts';

/** Trees of folders that firms apply to clients, and batches of files to publish to many clients. */
export const publishing: SchemaChange = {
  sqlite: [
    `create table folder_templates (template_id text primary key, company_id text not null references firms, name text not null, name_key text not null, client_kind text not null, folders text not null,
  created_at bigint not null, modified_at bigint not null, unique (company_id, name_key))`,
    `create table publish_batches (batch_id text primary key, company_id text not null references firms, created_by text not null references contacts, name text not null, folder text not null, year bigint not null,
  notify smallint not null, state text not null, created_at bigint not null, published_at bigint)`,
    `create index publish_batches_of_person on publish_batches (created_by, created_at)`,
    `create table publish_files (file_id text primary key, batch_id text not null references publish_batches, name text not null, name_key text not null, mime_type text not null, size bigint not null, sha256 text not null, crc32 bigint not null,
  blob_key text unique, client_id text references clients, matched_by text, problem text, document_id text references documents (document_id), created_at bigint not null, unique (batch_id, name_key))`,
    `create index publish_files_of_client on publish_files (batch_id, client_id, name_key)`,
  ],
  postgres: [
    `create table folder_templates (template_id text collate "C" primary key, company_id text collate "C" not null references firms, name text collate "C" not null, name_key text collate "C" not null, client_kind text collate "C" not null, folders text collate "C" not null,
  created_at bigint not null, modified_at bigint not null, unique (company_id, name_key))`,
    `create table publish_batches (batch_id text collate "C" primary key, company_id text collate "C" not null references firms, created_by text collate "C" not null references contacts, name text collate "C" not null, folder text collate "C" not null, year bigint not null,
  notify smallint not null, state text collate "C" not null, created_at bigint not null, published_at bigint)`,
    `create index publish_batches_of_person on publish_batches (created_by, created_at)`,
    `create table publish_files (file_id text collate "C" primary key, batch_id text collate "C" not null references publish_batches, name text collate "C" not null, name_key text collate "C" not null, mime_type text collate "C" not null, size bigint not null, sha256 text collate "C" not null, crc32 bigint not null,
  blob_key text collate "C" unique, client_id text collate "C" references clients, matched_by text collate "C", problem text collate "C", document_id text collate "C" references documents (document_id), created_at bigint not null, unique (batch_id, name_key))`,
    `create index publish_files_of_client on publish_files (batch_id, client_id, name_key)`,
  ],
};
