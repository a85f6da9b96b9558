import { readersOf } from '#features/base/people/people.server.ts';
import { announceUploads } from '#features/documents/uploads/notifications.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { messageOf } from './batches.server.ts';

/*
 * The contacts of a published batch are notified some minutes after it was published, so that it can be taken back before
 * anybody hears of it (docs/decisions/0079).
 */

/** The job that notifies the contacts of a batch, client by client; not if it was taken back meanwhile. */
export async function notifyContacts(payload: unknown): Promise<void> {
  const { batchId } = payload as { batchId: string };
  const rows = await publishedIn(batchId).select('documents.client_id').distinct().execute();
  const notified = new Set<string>();
  for (const { client_id: clientId } of rows) {
    const readers = await notifyClient(batchId, clientId);
    for (const id of readers) notified.add(id);
  }
  await db()
    .updateTable('publish_batches')
    .set({ notified_count: notified.size })
    .where('batch_id', '=', batchId)
    .where('state', 'in', ['published', 'stopped'])
    .execute();
}

/** Announces the documents of a client, with one notification, and returns whom. */
async function notifyClient(batchId: string, clientId: string): Promise<string[]> {
  return inTransaction(async () => {
    const batch = await db()
      .selectFrom('publish_batches')
      .select(['batch_id', 'company_id', 'created_by', 'message'])
      .where('batch_id', '=', batchId)
      .where('state', 'in', ['published', 'stopped'])
      .executeTakeFirst();
    if (!batch) return [];
    const documents = await publishedIn(batchId)
      .select(['documents.document_id', 'documents.container_id'])
      .where('documents.client_id', '=', clientId)
      .execute();
    const [first, ...others] = new Set(documents.map((row) => row.container_id));
    if (first === undefined) return [];
    const publisher = { staff: true, companyId: batch.company_id, contactId: batch.created_by };
    await announceUploads(
      publisher,
      // one notification, of the client as a whole if they are in several folders
      others.length > 0 ? clientId : first,
      documents.map((row) => row.document_id),
      { message: messageOf(batch) },
    );
    const readers = await readersOf(batch.company_id, clientId, 'contacts');
    return readers.map(({ contactId }) => contactId);
  });
}

/** The documents of a batch that are still there. */
const publishedIn = (batchId: string) =>
  db()
    .selectFrom('publish_files')
    .innerJoin('documents', 'documents.document_id', 'publish_files.document_id')
    .where('publish_files.batch_id', '=', batchId)
    .where('documents.deleted_at', 'is', null);
