import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { UPLOAD_FOLDERS, type Container } from '#features/documents/folders/folders.ts';
import { withDescendants } from '#features/documents/folders/tree.ts';
import { documentsOf } from '#features/documents/documents/scope.server.ts';

/*
 * The folders where staff publish for a client: one that they choose, and never by default the client's own
 * upload folder, or the firm's documents would be filed as the client's.
 */

/**
 * Lists the folders of a client's tree where staff may publish: those where they may add, except the client's
 * upload folder and its descendants.
 */
export function offeredFolders(containers: readonly Container[]): Container[] {
  const uploads = containers.filter(({ productType }) => productType === UPLOAD_FOLDERS.uploads);
  const own = new Set(
    withDescendants(
      containers,
      uploads.map(({ id }) => id),
    ),
  );
  return containers.filter(
    (container) =>
      container.containerType !== 'Client' && container.permissions.addContents && !own.has(container.id),
  );
}

/** The number of a client's newest documents that are searched for the person's last one. */
const MAX_SEARCHED = 200;

/**
 * Returns the id of the container to which the actor last added a document of the client, if that was
 * recently.
 */
export async function lastFolderOf(actor: Actor, clientId: string): Promise<string | undefined> {
  const newest = documentsOf(actor)
    .clearSelect()
    .select(['documents.container_id', 'documents.created_by', 'documents.created_at'])
    .where('documents.client_id', '=', clientId)
    .orderBy('documents.created_at', 'desc')
    .limit(MAX_SEARCHED);
  const row = await db()
    .selectFrom(newest.as('newest'))
    .select('container_id')
    .where('created_by', '=', actor.contactId)
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
  return row?.container_id;
}
