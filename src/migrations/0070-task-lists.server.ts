import type { SchemaChange } from './schema-change.server.ts';

/**
 * Indexes of the firm's table of tasks, by due date: of one status or type, and of the small sets that the chips above
 * the table show. The firm's tasks as a whole have one already.
 */
export const taskLists: SchemaChange = {
  sqlite: indexes(),
  postgres: indexes(),
};

function indexes(): string[] {
  return [
    // with the deleted ones: PostgreSQL uses its statistics of an expression only if the index has all rows
    `create index tasks_of_status on tasks (company_id, status, coalesce(due_on, '9999-12-31'), task_id)`,
    `create index tasks_of_type on tasks (company_id, type, coalesce(due_on, '9999-12-31'), task_id) where deleted_at is null`,
    `create index pending_tasks on tasks (company_id, coalesce(due_on, '9999-12-31'), task_id) where status in ('New', 'WIP') and deleted_at is null`,
    // deleted_at is a column of it, so that SQLite, which has no statistics, prefers it to the index of all of a status
    `create index resumed_tasks on tasks (company_id, status, deleted_at, coalesce(due_on, '9999-12-31'), task_id) where submission > 0`,
  ];
}
