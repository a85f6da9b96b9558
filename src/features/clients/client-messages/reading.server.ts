import { sql } from 'kysely';
import { isReadOnly, type Actor } from '#features/base/people/people.ts';
import { assertActsFor } from '#features/base/people/people.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { clientMessagesHandled, clientMessagesRead } from './events.server.ts';
import { messagesOf } from './scope.server.ts';

/* Each person has read the messages of others up to one. Viewing as a contact marks nothing as read. */

/** The messages that others wrote and the actor has not read. */
const unreadOf = (actor: Actor) =>
  messagesOf(actor)
    .leftJoin('client_message_reads as reads', (join) =>
      join
        .onRef('reads.client_id', '=', 'client_messages.client_id')
        .on('reads.contact_id', '=', actor.contactId),
    )
    .where('client_messages.created_by', '<>', actor.contactId)
    .where('client_messages.withdrawn_at', 'is', null)
    .where('client_messages.created_at', '>', sql<number>`coalesce(reads.read_to, 0)`);

/** The ids of the messages with a client that the actor has not read. */
export async function unreadWith(actor: Actor, clientId: string): Promise<Set<string>> {
  const rows = await unreadOf(actor)
    .where('client_messages.client_id', '=', clientId)
    .select('client_messages.message_id')
    .execute();
  return new Set(rows.map(({ message_id: id }) => id));
}

/**
 * The actor's clients with messages that the actor has not read, how many, and when the newest came (epoch ms); the newest
 * first.
 */
export async function unreadByClient(
  actor: Actor,
  limit: number,
): Promise<{ clientId: string; count: number; newestAt: number }[]> {
  const rows = await unreadOf(actor)
    .where('client_messages.company_id', '=', actor.companyId)
    .select((e) => [
      'client_messages.client_id',
      e.fn.countAll<number>().as('count'),
      e.fn.max('client_messages.created_at').as('newest_at'),
    ])
    .groupBy('client_messages.client_id')
    .orderBy('newest_at', 'desc')
    .orderBy('client_messages.client_id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    clientId: row.client_id,
    count: Number(row.count),
    newestAt: Number(row.newest_at),
  }));
}

/**
 * Records that the actor has read all messages with a client that they see. Staff who may answer have handled them for the
 * firm. NOT_FOUND.
 */
export async function markMessagesRead(actor: Actor, clientId: string): Promise<void> {
  if (actor.viewedBy !== undefined) return;
  await inTransaction(async () => {
    await assertActsFor(actor, clientId);
    const { newest } = await messagesOf(actor)
      .where('client_messages.client_id', '=', clientId)
      .select((e) => e.fn.max('client_messages.created_at').as('newest'))
      .executeTakeFirstOrThrow();
    if (newest === null) return;
    const { contactId, companyId } = actor;
    const read = { read_to: Number(newest), read_at: now() };
    const advanced = await db()
      .insertInto('client_message_reads')
      .values({ client_id: clientId, contact_id: contactId, ...read })
      .onConflict((conflict) =>
        conflict
          .columns(['client_id', 'contact_id'])
          .doUpdateSet(read)
          .where('client_message_reads.read_to', '<', read.read_to),
      )
      .returning('client_id')
      .executeTakeFirst();
    if (advanced) await clientMessagesRead.announce({ contactId, clientId });
    if (actor.staff && !isReadOnly(actor)) await clientMessagesHandled.announce({ companyId, clientId });
  });
}

/** The contacts of a client who have read the newest message of the firm, and when (epoch ms); the first ones first. */
export async function readersOfNewest(
  actor: Actor,
  clientId: string,
): Promise<{ name: string; at: number }[]> {
  const newest = await messagesOf(actor)
    .where('client_messages.client_id', '=', clientId)
    .where('client_messages.withdrawn_at', 'is', null)
    .where('client_messages.is_internal', '=', 0)
    .select(['client_messages.created_at', 'client_messages.by_staff'])
    .orderBy('client_messages.created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!newest?.by_staff) return [];
  const rows = await db()
    .selectFrom('client_message_reads')
    .innerJoin('contacts', 'contacts.contact_id', 'client_message_reads.contact_id')
    .select(['contacts.full_name', 'client_message_reads.read_at'])
    .where('client_message_reads.client_id', '=', clientId)
    .where('client_message_reads.read_to', '>=', newest.created_at)
    .where('contacts.staff', '=', 0)
    .orderBy('client_message_reads.read_at')
    .limit(MAX_READERS)
    .execute();
  return rows.map(({ full_name: name, read_at: at }) => ({ name, at: Number(at) }));
}

const MAX_READERS = 10;
