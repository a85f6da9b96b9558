import { sql } from 'kysely';
import type { Actor } from '#features/people/people.ts';
import { db } from '#platform/database.server.ts';

/** The count is capped, so that a million unread documents cost no more than a thousand. */
const MAX_COUNTED = 1000;

/**
 * Counts the documents of each of these clients that a contact has not read, in one query; 0 for staff. The
 * ids must be the caller's own clients.
 */
export async function pendingOf(actor: Actor, clientIds: readonly string[]): Promise<Map<string, number>> {
  if (actor.staff || clientIds.length === 0) return new Map();
  const unread = sql`select 1 from unread where unread.contact_id = ${actor.contactId} and unread.client_id = clients.client_id limit ${MAX_COUNTED}`;
  const rows = await db()
    .selectFrom('clients')
    .where('clients.client_id', 'in', clientIds)
    .select(['clients.client_id', sql<number>`(select count(*) from (${unread}) as waiting)`.as('pending')])
    .execute();
  return new Map(rows.map((row) => [row.client_id, Number(row.pending)]));
}
