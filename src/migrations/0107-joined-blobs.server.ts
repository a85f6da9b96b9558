import type { SchemaChange } from './schema-change.server.ts';

/** A file that was uploaded in parts consists of their blobs. */
export const joinedBlobs: SchemaChange = {
  sqlite: [
    `alter table blobs add column part_count bigint not null default 0`,
    `create table blob_parts (blob_key text not null references blobs, number bigint not null, part_key text not null references blobs, primary key (blob_key, number))`,
    `create index blob_parts_by_part on blob_parts (part_key)`,
  ],
  postgres: [
    `alter table blobs add column part_count bigint not null default 0`,
    `create table blob_parts (blob_key text collate "C" not null references blobs, number bigint not null, part_key text collate "C" not null references blobs, primary key (blob_key, number))`,
    `create index blob_parts_by_part on blob_parts (part_key)`,
  ],
};
