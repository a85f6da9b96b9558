import type { SchemaChange } from './schema-change.server.ts';

/**
 * On PostgreSQL, documents are counted once per statement instead of once per row: many documents in one folder, as
 * when a portal is moved or restored, updated the same row of `containers` so often that a transaction took quadratic
 * time.
 */
export const countsPerStatement: SchemaChange = {
  sqlite: [],
  postgres: [
    `drop trigger documents_are_counted on documents`,
    `drop function count_documents`,
    `create function count_added_documents() returns trigger language plpgsql as $body$ begin
    update containers set document_count = document_count + counted.documents
      from (select container_id, count(*) as documents from added where deleted_at is null group by container_id) as counted
      where containers.container_id = counted.container_id;
    return null; end $body$`,
    `create function count_removed_documents() returns trigger language plpgsql as $body$ begin
    update containers set document_count = document_count - counted.documents
      from (select container_id, count(*) as documents from removed where deleted_at is null group by container_id) as counted
      where containers.container_id = counted.container_id;
    return null; end $body$`,
    `create function count_changed_documents() returns trigger language plpgsql as $body$ begin
    update containers set document_count = document_count + counted.documents
      from (
        select container_id, sum(change) as documents from (
          select container_id, 1 as change from added where deleted_at is null
          union all select container_id, -1 from removed where deleted_at is null
        ) as changes group by container_id having sum(change) <> 0
      ) as counted
      where containers.container_id = counted.container_id;
    return null; end $body$`,
    `create trigger documents_added after insert on documents referencing new table as added for each statement execute function count_added_documents()`,
    `create trigger documents_removed after delete on documents referencing old table as removed for each statement execute function count_removed_documents()`,
    `create trigger documents_changed after update on documents referencing old table as removed new table as added for each statement execute function count_changed_documents()`,
  ],
};
