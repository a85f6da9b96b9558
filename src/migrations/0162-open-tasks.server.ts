import type { SchemaChange } from './schema-change.server.ts';

const index = [
  `create index open_tasks on tasks (company_id, coalesce(due_on, '9999-12-31'), task_id) where status in ('New', 'WIP', 'Received') and deleted_at is null`,
];

/** The first view of the firm's tasks: what is open, by due date. */
export const openTasks: SchemaChange = { sqlite: index, postgres: index };
