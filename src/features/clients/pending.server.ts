import type { Actor } from '#features/people/people.ts';
import { db } from '#platform/database.server.ts';

/** Older documents are not counted: a client with a million of them costs as much as one with a thousand. */
const NEWEST = 1000;

/** How many documents of each of these clients wait to be read by a contact, in one query; nothing waits for staff. The ids are the caller's own clients. */
export async function pendingOf(actor: Actor, clientIds: readonly string[]): Promise<Map<string, number>> {
  if (actor.staff || clientIds.length === 0) return new Map();
  const rows = await db()
    .selectFrom('clients')
    .where('clients.client_id', 'in', clientIds)
    .select((client) => [
      'clients.client_id',
      client
        .selectFrom((newest) =>
          newest
            .selectFrom('documents')
            .select('documents.document_id')
            .whereRef('documents.client_id', '=', 'clients.client_id')
            .where('documents.deleted_at', 'is', null)
            .orderBy('documents.created_at', 'desc')
            .orderBy('documents.document_id', 'desc')
            .limit(NEWEST)
            .as('newest'),
        )
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('document_reads').select('document_reads.read_at').whereRef('document_reads.document_id', '=', 'newest.document_id').where('document_reads.contact_id', '=', actor.contactId))),
        )
        .select((unread) => unread.fn.countAll<number>().as('count'))
        .as('pending'),
    ])
    .execute();
  return new Map(rows.map((row) => [row.client_id, Number(row.pending)]));
}
