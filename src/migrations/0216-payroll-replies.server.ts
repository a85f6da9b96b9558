import type { SchemaChange } from './schema-change.server.ts';

const statements = (text: string): string[] => [`alter table payroll_sheets add column reply ${text}`];

/** What the firm replies to a sheet, which closes it. */
export const payrollReplies: SchemaChange = {
  sqlite: statements('text'),
  postgres: statements('text collate "C"'),
};
