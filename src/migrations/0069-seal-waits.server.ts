import type { SchemaChange } from './schema-change.server.ts';

/** Signed documents whose seal waits for a timestamp authority that does not answer. */
export const sealWaits: SchemaChange = {
  sqlite: changes(),
  postgres: changes(),
};

function changes(): string[] {
  return [
    `alter table sign_documents add column stamp_wait_since bigint`,
    `create index sign_documents_without_stamp on sign_documents (company_id, stamp_wait_since, signing_id) where stamp_wait_since is not null`,
  ];
}
