import { sql } from 'kysely';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { MAX_COUNTED } from './rules.ts';

/**
 * Counts what waits at a row of clients: the documents that a contact has not read, or the rows of the firm's inbox for
 * staff, at most MAX_COUNTED.
 */
export function countPending(actor: Actor) {
  const waiting = actor.staff
    ? sql`select 1 from inbox_items where inbox_items.client_id = clients.client_id and inbox_items.done_at is null limit ${MAX_COUNTED}`
    : sql`select 1 from unread where unread.contact_id = ${actor.contactId} and unread.client_id = clients.client_id limit ${MAX_COUNTED}`;
  return sql<number>`(select count(*) from (${waiting}) as waiting)`;
}

/** The same of each of these clients, in one query. The ids must be the caller's own clients. */
export async function pendingOf(actor: Actor, clientIds: readonly string[]): Promise<Map<string, number>> {
  if (clientIds.length === 0) return new Map();
  const rows = await db()
    .selectFrom('clients')
    .where('clients.client_id', 'in', clientIds)
    .select(['clients.client_id', countPending(actor).as('pending')])
    .execute();
  return new Map(rows.map((row) => [row.client_id, Number(row.pending)]));
}

/** Only so many of the newest unread documents or inbox rows are considered, and so many clients returned. */
const MAX_CONSIDERED = 1000;
const MAX_PENDING = 100;

/**
 * Lists the ids of the clients with something pending, the newest first, at most MAX_PENDING. They may include clients
 * that the caller no longer acts for.
 */
export async function newestPending(actor: Actor): Promise<string[]> {
  const newest = actor.staff
    ? sql`select client_id, created_at from inbox_items where company_id = ${actor.companyId} and done_at is null and client_id is not null order by created_at desc limit ${MAX_CONSIDERED}`
    : sql`select client_id, created_at from unread where contact_id = ${actor.contactId} order by created_at desc limit ${MAX_CONSIDERED}`;
  const { rows } = await sql<{ client_id: string }>`
    select client_id from (${newest}) as newest group by client_id order by max(created_at) desc, client_id limit ${MAX_PENDING}`.execute(
    db(),
  );
  return rows.map((row) => row.client_id);
}
