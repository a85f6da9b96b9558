import type { SchemaChange } from './schema-change.server.ts';

export const uploads: SchemaChange = {
  sqlite: [
    `create table uploads (upload_id text primary key, company_id text not null references firms, client_id text not null references clients,
  contact_id text not null references contacts, container_id text not null, container_type text not null, into_uploads smallint not null,
  name text not null, on_conflict text not null, size bigint not null, received bigint not null, parts bigint not null, last_modified bigint,
  created_at bigint not null, expires_at bigint not null, document_id text)`,
    `alter table documents add column scan text`,
    `create index uploads_of_contact on uploads (contact_id, expires_at)`,
    `create index uploads_by_end on uploads (expires_at)`,
    `create table upload_parts (upload_id text not null references uploads, number bigint not null, size bigint not null, blob_key text not null references blobs, primary key (upload_id, number))`,
  ],
  postgres: [
    `create table uploads (upload_id text collate "C" primary key, company_id text collate "C" not null references firms, client_id text collate "C" not null references clients,
  contact_id text collate "C" not null references contacts, container_id text collate "C" not null, container_type text collate "C" not null, into_uploads smallint not null,
  name text collate "C" not null, on_conflict text collate "C" not null, size bigint not null, received bigint not null, parts bigint not null, last_modified bigint,
  created_at bigint not null, expires_at bigint not null, document_id text collate "C")`,
    `alter table documents add column scan text collate "C"`,
    `create index uploads_of_contact on uploads (contact_id, expires_at)`,
    `create index uploads_by_end on uploads (expires_at)`,
    `create table upload_parts (upload_id text collate "C" not null references uploads, number bigint not null, size bigint not null, blob_key text collate "C" not null references blobs, primary key (upload_id, number))`,
  ],
};
