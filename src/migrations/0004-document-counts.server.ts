import type { SchemaChange } from './schema-change.server.ts';

/**
 * Triggers maintain `containers.document_count`, the number of documents that are not deleted, so that lists
 * need no counting.
 */
export const documentCounts: SchemaChange = {
  sqlite: [
    `alter table containers add column document_count bigint not null default 0`,
    `update containers set document_count = (select count(*) from documents where documents.container_id = containers.container_id and documents.deleted_at is null)`,
    `create index documents_of_container on documents (container_id, created_at, document_id) where deleted_at is null
`,
    `create trigger document_came after insert on documents begin update containers set document_count = document_count + 1 where container_id = new.container_id and new.deleted_at is null; end`,
    `create trigger document_went after delete on documents begin update containers set document_count = document_count - 1 where container_id = old.container_id and old.deleted_at is null; end`,
    `create trigger document_changed after update of container_id, deleted_at on documents begin update containers set document_count = document_count - 1 where container_id = old.container_id and old.deleted_at is null; update containers set document_count = document_count + 1 where container_id = new.container_id and new.deleted_at is null; end`,
  ],
  postgres: [
    `alter table containers add column document_count bigint not null default 0`,
    `update containers set document_count = (select count(*) from documents where documents.container_id = containers.container_id and documents.deleted_at is null)`,
    `create index documents_of_container on documents (container_id, created_at, document_id) where deleted_at is null`,
    `create function count_documents() returns trigger language plpgsql as $body$ begin
    if tg_op <> 'INSERT' then update containers set document_count = document_count - 1 where container_id = old.container_id and old.deleted_at is null; end if;
    if tg_op <> 'DELETE' then update containers set document_count = document_count + 1 where container_id = new.container_id and new.deleted_at is null; end if;
    return null; end $body$`,
    `create trigger documents_are_counted after insert or delete or update of container_id, deleted_at on documents for each row execute function count_documents()`,
  ],
};
