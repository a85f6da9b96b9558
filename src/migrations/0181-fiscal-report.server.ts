import type { SchemaChange } from './schema-change.server.ts';

const index = [
  `create index fiscal_documents_of_client on fiscal_documents (client_id, issued_at, document_id)`,
];

/** The report on a client's fiscal documents of all archives: the newest first. */
export const fiscalReport: SchemaChange = { sqlite: index, postgres: index };
