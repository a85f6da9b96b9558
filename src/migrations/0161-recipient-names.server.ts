import type { SchemaChange } from './schema-change.server.ts';

/** Recipients of shared documents have the names that stood before their addresses. */
export const recipientNames: SchemaChange = {
  sqlite: [`alter table share_recipients add column name text`],
  postgres: [`alter table share_recipients add column name text collate "C"`],
};
