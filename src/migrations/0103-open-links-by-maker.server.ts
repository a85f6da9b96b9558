import type { SchemaChange } from './schema-change.server.ts';

/** An index by which signing out finds the links that a contact made for their phone. */
export const openLinksByMaker: SchemaChange = {
  sqlite: index(),
  postgres: index(),
};

function index(): string[] {
  return [`create index open_links_by_maker on task_links (made_by, purpose) where revoked_at is null`];
}
