import type { SchemaChange } from './schema-change.server.ts';

export const trash: SchemaChange = {
  sqlite: [
    `alter table documents add column deleted_by text references contacts`,
    `alter table documents add column purged_at bigint`,
    `create index documents_in_trash on documents (client_id, deleted_at, document_id) where deleted_at is not null and purged_at is null`,
    `create index documents_to_purge on documents (deleted_at) where deleted_at is not null and purged_at is null
`,
  ],
  postgres: [
    `alter table documents add column deleted_by text collate "C" references contacts`,
    `alter table documents add column purged_at bigint`,
    `create index documents_in_trash on documents (client_id, deleted_at, document_id) where deleted_at is not null and purged_at is null`,
    `create index documents_to_purge on documents (deleted_at) where deleted_at is not null and purged_at is null`,
  ],
};
