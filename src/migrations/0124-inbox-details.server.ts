import type { SchemaChange } from './schema-change.server.ts';

/** What else the row of an entry says, such as why a task does not apply. */
export const inboxDetails: SchemaChange = {
  sqlite: [`alter table inbox_items add column detail text`],
  postgres: [`alter table inbox_items add column detail text collate "C"`],
};
