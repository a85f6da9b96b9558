import type { SchemaChange } from './schema-change.server.ts';

/** Triggers maintain `documents.comments_count`. */
export const comments: SchemaChange = {
  sqlite: [
    `alter table documents add column comments_count bigint not null default 0`,
    `create table comments (comment_id text primary key, company_id text not null references firms, client_id text not null references clients,
  document_id text not null references documents (document_id), body text not null, created_by text not null references contacts, by_staff smallint not null, created_at bigint not null)`,
    `create index comments_of_document on comments (document_id, created_at, comment_id)`,
    `create table item_metadata (document_id text not null references documents (document_id), client_id text not null references clients, meta_key text not null, meta_value text not null,
  document_created_at bigint not null, primary key (document_id, meta_key))`,
    `create index documents_by_metadata on item_metadata (client_id, meta_key, meta_value, document_created_at)`,
    `create table upload_notices (document_id text primary key references documents (document_id), company_id text not null references firms, container_id text not null,
  created_by text not null references contacts, by_staff smallint not null, created_at bigint not null, told_at bigint)`,
    `create index upload_notices_waiting on upload_notices (container_id, by_staff) where told_at is null`,
    `create table notices (notice_key text primary key, company_id text not null references firms, due_at bigint not null, told_at bigint not null)`,
    `create trigger comment_came after insert on comments begin update documents set comments_count = comments_count + 1 where document_id = new.document_id; end`,
    `create trigger comment_went after delete on comments begin update documents set comments_count = comments_count - 1 where document_id = old.document_id; end`,
  ],
  postgres: [
    `alter table documents add column comments_count bigint not null default 0`,
    `create table comments (comment_id text collate "C" primary key, company_id text collate "C" not null references firms, client_id text collate "C" not null references clients,
  document_id text collate "C" not null references documents (document_id), body text collate "C" not null, created_by text collate "C" not null references contacts, by_staff smallint not null, created_at bigint not null)`,
    `create index comments_of_document on comments (document_id, created_at, comment_id)`,
    `create table item_metadata (document_id text collate "C" not null references documents (document_id), client_id text collate "C" not null references clients, meta_key text collate "C" not null, meta_value text collate "C" not null,
  document_created_at bigint not null, primary key (document_id, meta_key))`,
    `create index documents_by_metadata on item_metadata (client_id, meta_key, meta_value, document_created_at)`,
    `create table upload_notices (document_id text collate "C" primary key references documents (document_id), company_id text collate "C" not null references firms, container_id text collate "C" not null,
  created_by text collate "C" not null references contacts, by_staff smallint not null, created_at bigint not null, told_at bigint)`,
    `create index upload_notices_waiting on upload_notices (container_id, by_staff) where told_at is null`,
    `create table notices (notice_key text collate "C" primary key, company_id text collate "C" not null references firms, due_at bigint not null, told_at bigint not null)`,
    `create function count_comments() returns trigger language plpgsql as $body$ begin
    if tg_op = 'DELETE' then update documents set comments_count = comments_count - 1 where document_id = old.document_id; else update documents set comments_count = comments_count + 1 where document_id = new.document_id; end if;
    return null; end $body$`,
    `create trigger comments_are_counted after insert or delete on comments for each row execute function count_comments()`,
  ],
};
