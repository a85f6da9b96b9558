import { loadOf } from '#features/documents/folders/tree.ts';
import type { Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import type { Marked, ReadingInput } from './documents.ts';
import { recordDone } from '#platform/mail/mail-log.server.ts';
import { documentsHandled } from './events.server.ts';
import { documentsNamed } from './scope.server.ts';

/**
 * Marks documents as read or unread by a contact, and returns the result for each. FORBIDDEN for staff, who
 * have no read marks, and without the control ShowClientDocsReadToggle.
 */
export async function setReading(actor: Actor, { documentIds, isRead }: ReadingInput): Promise<Marked[]> {
  if (actor.staff || !loadOf(actor.access).filtersReading) throw new PortalError('FORBIDDEN');
  return inTransaction(async () => {
    const seen = new Set((await documentsNamed(actor, documentIds)).map((row) => row.document_id));
    await (isRead ? markRead : markUnread)(actor, [...seen]);
    return documentIds.map((id): Marked => ({ id, result: seen.has(id) ? 'MARKED' : 'NOT_FOUND' }));
  });
}

/**
 * Records that an actor opened documents: contacts have read them, and what staff have opened is no longer
 * waiting for the firm.
 */
export async function noteOpened(actor: Actor, documentIds: readonly string[]): Promise<void> {
  if (actor.staff) await documentsHandled.announce({ documentIds });
  else await markRead(actor, documentIds);
}

/** Marks documents as read by a contact; the time of the first reading is kept. */
export async function markRead(actor: Actor, documentIds: readonly string[]): Promise<void> {
  const reads = documentIds.map((id) => ({ document_id: id, contact_id: actor.contactId, read_at: now() }));
  for (const some of inBatches(reads)) {
    await db()
      .insertInto('document_reads')
      .values(some)
      .onConflict((conflict) => conflict.columns(['document_id', 'contact_id']).doNothing())
      .execute();
  }
  await recordDone(documentIds, actor.contactId);
}

/** Tells whether a contact has not read a document; false for staff, also while they view as a contact. */
export async function hasNotRead(actor: Actor, documentId: string): Promise<boolean> {
  if (actor.staff || actor.viewedBy !== undefined) return false;
  const read = await db()
    .selectFrom('document_reads')
    .select('read_at')
    .where('document_id', '=', documentId)
    .where('contact_id', '=', actor.contactId)
    .executeTakeFirst();
  return read === undefined;
}

/** Removes the read marks of a contact. */
async function markUnread(actor: Actor, documentIds: readonly string[]): Promise<void> {
  for (const some of inBatches(documentIds))
    await db()
      .deleteFrom('document_reads')
      .where('contact_id', '=', actor.contactId)
      .where('document_id', 'in', some)
      .execute();
}
