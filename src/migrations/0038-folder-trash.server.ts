import type { SchemaChange } from './schema-change.server.ts';

/** Deleted folders, and with which of them a container or document was deleted. */
export const folderTrash: SchemaChange = {
  sqlite: [
    `alter table containers add column deleted_at bigint`,
    `alter table containers add column deleted_by text`,
    `alter table containers add column deleted_with text`,
    `alter table documents add column deleted_with text`,
    `create index deleted_containers on containers (client_id, deleted_at) where deleted_at is not null`,
    `create index documents_deleted_with on documents (deleted_with) where deleted_with is not null`,
  ],
  postgres: [
    `alter table containers add column deleted_at bigint`,
    `alter table containers add column deleted_by text collate "C"`,
    `alter table containers add column deleted_with text collate "C"`,
    `alter table documents add column deleted_with text collate "C"`,
    `create index deleted_containers on containers (client_id, deleted_at) where deleted_at is not null`,
    `create index documents_deleted_with on documents (deleted_with) where deleted_with is not null`,
  ],
};
