import type { SchemaChange } from './schema-change.server.ts';

/**
 * Counting the tasks, clients and people of a firm on PostgreSQL, which would otherwise read the rows of the largest firm,
 * where the newest come last: indexes without names, dates and ids are a fiftieth of those with them, since equal values
 * are stored once. SQLite counts in those of the lists.
 */
export const counts: SchemaChange = {
  sqlite: [],
  postgres: [
    `create index task_counts_by_status on tasks (company_id, status) where deleted_at is null`,
    `create index task_counts_by_type on tasks (company_id, type) where deleted_at is null`,
    `create index client_counts on clients (company_id, kind) where archived_at is null`,
    `create index contact_counts on contacts (company_id, staff) where removed_at is null`,
  ],
};
