import type { SchemaChange } from './schema-change.server.ts';

/**
 * On PostgreSQL, text of `unread` was of another collation than that of the tables that it is compared with: a trigger
 * of a read, changed or removed document could use none of its indexes and read all of it. The statistics of a column
 * end with its type.
 */
export const unreadByBytes: SchemaChange = {
  sqlite: [],
  postgres: [
    `alter table unread alter column document_id type text collate "C", alter column contact_id type text collate "C", alter column client_id type text collate "C"`,
    `analyze unread`,
  ],
};
