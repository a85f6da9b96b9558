import type { SchemaChange } from './schema-change.server.ts';

/** What files of tasks were stored as, to recognize one that is sent again because the answer was lost. */
export const taskUploads: SchemaChange = {
  sqlite: [
    `create table task_uploads (upload_hash text primary key, document_id text not null, stored_at bigint not null)`,
    `create index task_uploads_by_time on task_uploads (stored_at)`,
  ],
  postgres: [
    `create table task_uploads (upload_hash text collate "C" primary key, document_id text collate "C" not null, stored_at bigint not null)`,
    `create index task_uploads_by_time on task_uploads (stored_at)`,
  ],
};
