import type { Actor } from '#features/people/people.ts';
import { db } from '#platform/database.server.ts';
import { UPLOAD_FOLDERS, type Container } from '#features/folders/folders.ts';
import { withDescendants } from '#features/folders/tree.ts';
import { documentsOf } from '#features/documents/scope.server.ts';

/*
 * Where staff publish for a client: in a folder that they choose, and never by itself in the folder of the
 * client's own uploads, or the firm's documents would be filed as the client's.
 */

/**
 * The folders of a client's tree that staff may choose to publish in: where they may add, without the
 * client's own uploads and what is in them.
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

/** How many of a client's newest documents are looked through for the last of a person's own. */
const MAX_SEARCHED = 200;

/** The id of the container that the actor added a document of the client to last, if that is not long ago. */
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
