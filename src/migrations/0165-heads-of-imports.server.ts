import type { SchemaChange } from './schema-change.server.ts';

const MOVED = [
  'company_id',
  'contact_id',
  'state',
  'total',
  'position',
  'created_at',
  'moved_at',
  'finished_at',
];

// `cancelled` was stopped by a person, `stopped` by a right that was lost; those that were stopped begin with the first row
const statements = [
  `insert into batches (batch_id, company_id, kind, state, stopped_by, created_by, runs_as, total, position, created_at, moved_at, finished_at) select import_id, company_id, 'import', case state when 'mapping' then 'draft' when 'importing' then 'running' when 'finished' then 'done' when 'cancelled' then 'stopped' else state end, case state when 'cancelled' then 'PERSON' when 'stopped' then 'RIGHTS' else '' end, contact_id, contact_id, total, case when state in ('cancelled', 'stopped') then 0 else position end, created_at, moved_at, finished_at from imports`,
  `drop index imports_of_firm`,
  ...MOVED.map((column) => `alter table imports drop column ${column}`),
];

/** How far imports are is stored as for batches of any kind. */
export const headsOfImports: SchemaChange = { sqlite: statements, postgres: statements };
