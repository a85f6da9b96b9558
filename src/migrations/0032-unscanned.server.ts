import type { SchemaChange } from './schema-change.server.ts';

const statements = [
  `create index unscanned_documents on documents (seq) where purged_at is null and (scan is null or scan = 'pending')`,
];

export const unscanned: SchemaChange = { sqlite: statements, postgres: statements };
