import type { SchemaChange } from './schema-change.server.ts';

/** The newest unread documents of a contact over all their clients, for the home page. */
export const newestUnread: SchemaChange = {
  sqlite: [`create index unread_newest on unread (contact_id, created_at, document_id, client_id)`],
  postgres: [`create index unread_newest on unread (contact_id, created_at, document_id, client_id)`],
};
