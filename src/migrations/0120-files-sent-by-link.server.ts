import type { SchemaChange } from './schema-change.server.ts';

/** Files that somebody sent by the link of a task wait for the contact's decision; documents name who sent them. */
export const filesSentByLink: SchemaChange = {
  sqlite: [
    `create table document_senders (document_id text primary key references documents (document_id), sent_by text not null)`,
    `create table task_link_files (file_id text primary key, link_id text not null references task_links, path text not null, name text not null, name_key text not null, mime_type text not null, size bigint not null, sha256 text not null, crc32 bigint not null,
  blob_key text not null unique, scan text, upload_hash text, created_at bigint not null)`,
    `create index task_link_files_of_link on task_link_files (link_id)`,
  ],
  postgres: [
    `create table document_senders (document_id text collate "C" primary key references documents (document_id), sent_by text collate "C" not null)`,
    `create table task_link_files (file_id text collate "C" primary key, link_id text collate "C" not null references task_links, path text collate "C" not null, name text collate "C" not null, name_key text collate "C" not null, mime_type text collate "C" not null, size bigint not null, sha256 text collate "C" not null, crc32 bigint not null,
  blob_key text collate "C" not null unique, scan text collate "C", upload_hash text collate "C", created_at bigint not null)`,
    `create index task_link_files_of_link on task_link_files (link_id)`,
  ],
};
