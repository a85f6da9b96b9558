import type { SchemaChange } from './schema-change.server.ts';

const indexes = [
  `create index open_tasks_of_responsible on tasks (company_id, responsible, status, coalesce(due_on, '9999-12-31')) where status in ('New', 'WIP', 'Received') and deleted_at is null`,
  `create index tasks_by_creation on tasks (company_id, created_at) where deleted_at is null`,
  `create index tasks_by_submission on tasks (company_id, submitted_at) where deleted_at is null`,
];

/** What the overview counts of tasks: those of each person, and those of each week. */
export const overviewOfTasks: SchemaChange = { sqlite: indexes, postgres: indexes };
