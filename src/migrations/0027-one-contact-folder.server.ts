import type { SchemaChange } from './schema-change.server.ts';

const statements = [
  `create unique index if not exists one_contact_folder on containers (client_id) where product_type = 'ClientContactFolder'`,
];

/** Databases created on the first day lack this index, which was added to 0001 an hour later. */
export const oneContactFolder: SchemaChange = { sqlite: statements, postgres: statements };
