import type { SchemaChange } from './schema-change.server.ts';

const statements = [
  `create index inbox_of_client_by_kind on inbox_items (client_id, kind) where done_at is null`,
  `drop index tasks_of_client`,
  `create index tasks_of_client on tasks (client_id, status, coalesce(due_on, '9999-12-31'))`,
];

/** Staff with assigned clients count the inbox by kind and open tasks by due date, by client. */
export const rowsOfAssignedClients: SchemaChange = { sqlite: statements, postgres: statements };
