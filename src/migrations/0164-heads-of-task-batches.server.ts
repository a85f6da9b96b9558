import type { SchemaChange } from './schema-change.server.ts';

const MOVED = [
  'company_id',
  'created_by',
  'state',
  'total',
  'position',
  'created_at',
  'moved_at',
  'finished_at',
];

// those that were stopped begin with the first row again, and so do undoes, which now take the last rows first
const statements = [
  `insert into batches (batch_id, company_id, kind, state, stopped_by, created_by, runs_as, total, position, created_at, moved_at, finished_at) select batch_id, company_id, 'tasks', state, case state when 'stopped' then 'PERSON' else '' end, created_by, created_by, total, case when state in ('undoing', 'stopped') then 0 else position end, created_at, moved_at, finished_at from task_batches`,
  `drop index task_batches_of_firm`,
  ...MOVED.map((column) => `alter table task_batches drop column ${column}`),
];

/** How far batches of tasks are is stored as for batches of any kind. */
export const headsOfTaskBatches: SchemaChange = { sqlite: statements, postgres: statements };
