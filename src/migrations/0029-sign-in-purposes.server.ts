import type { SchemaChange } from './schema-change.server.ts';

export const signInPurposes: SchemaChange = {
  sqlite: [`alter table sign_in_transactions add column purpose text`],
  postgres: [`alter table sign_in_transactions add column purpose text collate "C"`],
};
