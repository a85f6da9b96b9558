import type { SchemaChange } from './schema-change.server.ts';

const statements = [
  `create index tasks_of_client_by_creation on tasks (client_id, created_at) where deleted_at is null`,
  `create index tasks_of_client_by_submission on tasks (client_id, submitted_at) where deleted_at is null and submitted_at is not null`,
];

/** Staff with assigned clients count what these were asked for and handed in, by client. */
export const tasksOfClientsByTime: SchemaChange = { sqlite: statements, postgres: statements };
