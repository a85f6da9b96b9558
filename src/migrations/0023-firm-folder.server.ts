import type { SchemaChange } from './schema-change.server.ts';

const statements = [
  `create unique index one_firm_folder on containers (client_id) where product_type = 'FirmFolder'`,
];

export const firmFolder: SchemaChange = { sqlite: statements, postgres: statements };
