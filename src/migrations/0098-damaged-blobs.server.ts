import type { SchemaChange } from './schema-change.server.ts';

/** When stored bytes were found damaged, and when they were last read through. */
export const damagedBlobs: SchemaChange = {
  sqlite: [
    `alter table blobs add column damaged_at bigint`,
    `alter table blobs add column checked_at bigint not null default 0`,
    `create index blobs_by_check on blobs (checked_at)`,
  ],
  postgres: [
    `alter table blobs add column damaged_at bigint`,
    `alter table blobs add column checked_at bigint not null default 0`,
    `create index blobs_by_check on blobs (checked_at)`,
  ],
};
