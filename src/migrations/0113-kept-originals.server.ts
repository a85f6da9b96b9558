import type { SchemaChange } from './schema-change.server.ts';

/**
 * What a document to be signed bore or showed that its prepared copy does not: digital signatures and pages that differ; and
 * the document itself, if it bore any.
 */
export const keptOriginals: SchemaChange = {
  sqlite: changes('text'),
  postgres: changes('text collate "C"'),
};

function changes(text: string): string[] {
  return [
    `alter table sign_documents add column foreign_signatures ${text}`,
    `alter table sign_documents add column differences ${text}`,
    `alter table sign_documents add column original_blob ${text}`,
    `alter table sign_documents add column original_size bigint`,
  ];
}
