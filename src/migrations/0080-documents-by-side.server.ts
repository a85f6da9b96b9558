import type { SchemaChange } from './schema-change.server.ts';

/** The order of the documents that the firm added to a client, and of those that the client uploaded. */
export const documentsBySide: SchemaChange = {
  sqlite: [
    `create index documents_by_side on documents (client_id, uploaded_by_staff, created_at, document_id) where deleted_at is null`,
  ],
  postgres: [
    `create index documents_by_side on documents (client_id, uploaded_by_staff, created_at, document_id) where deleted_at is null`,
  ],
};
