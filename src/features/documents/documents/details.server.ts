import { db } from '#platform/database/database.server.ts';

/** Removes who has read these documents, and their metadata: the documents are removed permanently. */
export async function removeDetailsOf(documentIds: readonly string[]): Promise<void> {
  await db().deleteFrom('document_reads').where('document_id', 'in', documentIds).execute();
  await db().deleteFrom('item_metadata').where('document_id', 'in', documentIds).execute();
}
