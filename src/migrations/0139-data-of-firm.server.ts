import type { SchemaChange } from './schema-change.server.ts';

/** What the firm itself stored in tasks and steps, which is all that it reads before the client submits. */
export const dataOfFirm: SchemaChange = {
  sqlite: [`alter table tasks add column firm_data text`, `alter table task_steps add column firm_data text`],
  postgres: [
    `alter table tasks add column firm_data text collate "C"`,
    `alter table task_steps add column firm_data text collate "C"`,
  ],
};
