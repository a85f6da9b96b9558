import type { SchemaChange } from './schema-change.server.ts';

/** The first id of a session that was renewed, by which work that began before finds it. */
export const firstSessionIds: SchemaChange = {
  sqlite: [
    `alter table sessions add column first_hash text`,
    `create index sessions_by_first_hash on sessions (first_hash) where first_hash is not null`,
  ],
  postgres: [
    `alter table sessions add column first_hash text collate "C"`,
    `create index sessions_by_first_hash on sessions (first_hash) where first_hash is not null`,
  ],
};
