import { sql } from 'kysely';
import { mayReview } from '#features/access-review/access-review.server.ts';
import { clientIdsOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { audit } from '#platform/audit.server.ts';
import { DAY, now } from '#platform/clock.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import { notFound, PortalError, unlessStorageIsFull } from '#platform/errors.server.ts';
import type { Tables } from '#platform/schema.server.ts';
import type { Selectable } from 'kysely';
import { MAX_COUNTED, type InboxCounts, type InboxItem, type InboxQuery } from './inbox.ts';

const PAGE = 50;
const MAX_AT_ONCE = 200;

/**
 * The open rows that an actor may see: about clients they may act for, for themselves, and for staff who act
 * for all clients those about no client; reviews of access for those who may review. FORBIDDEN for contacts.
 */
function itemsOf(actor: Actor) {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  const isOfOwn = clientIdsOf(actor).where('clients.client_id', '=', sql<string>`inbox_items.client_id`);
  return db()
    .selectFrom('inbox_items')
    .where('inbox_items.company_id', '=', actor.companyId)
    .$if(!mayReview(actor), (items) => items.where('inbox_items.kind', '<>', 'access-review'))
    .where((e) =>
      e.or([
        e.exists(isOfOwn),
        actor.hasAllClients
          ? e('inbox_items.client_id', 'is', null)
          : e.and([
              e('inbox_items.client_id', 'is', null),
              e('inbox_items.contact_id', '=', actor.contactId),
            ]),
      ]),
    );
}

const openOf = (actor: Actor) => itemsOf(actor).where('inbox_items.done_at', 'is', null);

/**
 * Of these, those about clients the actor is responsible for, for themselves, and reviews, which are for all who may
 * review; not those that are marked as not theirs.
 */
const mineOf = (actor: Actor) =>
  openOf(actor)
    .where((e) =>
      e.or([
        e('inbox_items.contact_id', '=', actor.contactId),
        e('inbox_items.kind', '=', 'access-review'),
        e(
          'inbox_items.client_id',
          'in',
          e
            .selectFrom('staff_clients')
            .select('staff_clients.client_id')
            .where('staff_clients.contact_id', '=', actor.contactId)
            .where('staff_clients.is_responsible', '=', 1),
        ),
      ]),
    )
    .where(
      'inbox_items.item_id',
      'not in',
      db()
        .selectFrom('inbox_dismissals')
        .select('inbox_dismissals.item_id')
        .where('inbox_dismissals.contact_id', '=', actor.contactId),
    );

/** Counts what waits for the firm and for the actor. */
export async function inboxCounts(actor: Actor): Promise<InboxCounts> {
  const [mine, all] = [await countOf(mineOf(actor)), await countOf(openOf(actor))];
  return { mine, all };
}

/** How many rows that the inbox shows at first are unread; undefined if none, and for those who have no inbox. */
export async function unreadFor(actor: Actor): Promise<number | undefined> {
  if (!actor.staff) return undefined;
  const mine = mineOf(actor);
  const hasOwn = await mine.select('inbox_items.item_id').limit(1).executeTakeFirst();
  const shown = hasOwn ? mine : openOf(actor);
  return (await countOf(shown.where((e) => e.not(e.exists(readBy(actor)))))) || undefined;
}

/** The marks of the actor that a row is read, which nothing came in after. */
const readBy = (actor: Actor) =>
  db()
    .selectFrom('inbox_reads')
    .select('inbox_reads.item_id')
    .where('inbox_reads.contact_id', '=', actor.contactId)
    .where('inbox_reads.item_id', '=', sql<string>`inbox_items.item_id`)
    .where('inbox_reads.read_at', '>=', sql<number>`inbox_items.added_at`);

async function countOf(items: ReturnType<typeof openOf>): Promise<number> {
  const some = items.select('inbox_items.item_id').limit(MAX_COUNTED).as('some');
  const { count } = await db()
    .selectFrom(some)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export interface InboxPage {
  items: InboxItem[];
  /** Whose rows these are: by default the own ones, if there are any. */
  of: 'mine' | 'all';
  counts: InboxCounts;
  total: number;
  pageSize: number;
}

/** Lists what waits, 50 a page: the client who has waited longest first, and its rows the oldest first. */
export async function listInbox(actor: Actor, { of, kind, pageNum }: InboxQuery): Promise<InboxPage> {
  const counts = await inboxCounts(actor);
  const shown = of === '' ? (counts.mine > 0 ? 'mine' : 'all') : of;
  const found = (shown === 'mine' ? mineOf(actor) : openOf(actor)).$if(kind !== '', (items) =>
    items.where('inbox_items.kind', '=', kind || 'documents'),
  );
  const rows = await found
    .leftJoin('clients as named', 'named.client_id', 'inbox_items.client_id')
    .selectAll('inbox_items')
    .select((e) => [
      'named.name as client_name',
      e.not(e.exists(readBy(actor))).as('is_unread'),
      sql<number>`min(inbox_items.created_at) over (partition by coalesce(inbox_items.client_id, inbox_items.item_id))`.as(
        'client_since',
      ),
    ])
    .orderBy('client_since')
    .orderBy(sql`coalesce(inbox_items.client_id, inbox_items.item_id)`)
    .orderBy('inbox_items.created_at')
    .orderBy('inbox_items.item_id')
    .limit(PAGE)
    .offset((pageNum - 1) * PAGE)
    .execute();
  const items = rows.map((row) => present(row, Boolean(row.is_unread)));
  const total = kind === '' ? counts[shown] : await countOf(found);
  return { items, of: shown, counts, total, pageSize: PAGE };
}

/** Rows that a client's page shows. */
const OF_CLIENT = 5;

/** The oldest entries about one client; `isMore` if the inbox has further ones. */
export async function waitingOfClient(
  actor: Actor,
  clientId: string,
): Promise<{ items: InboxItem[]; isMore: boolean }> {
  const rows = await openOf(actor)
    .innerJoin('clients as named', 'named.client_id', 'inbox_items.client_id')
    .where('inbox_items.client_id', '=', clientId)
    .selectAll('inbox_items')
    .select((e) => ['named.name as client_name', e.not(e.exists(readBy(actor))).as('is_unread')])
    .orderBy('inbox_items.created_at')
    .orderBy('inbox_items.item_id')
    .limit(OF_CLIENT + 1)
    .execute();
  const items = rows.slice(0, OF_CLIENT).map((row) => present(row, Boolean(row.is_unread)));
  return { items, isMore: rows.length > OF_CLIENT };
}

const present = (
  row: Selectable<Tables['inbox_items']> & { client_name: string | null },
  isUnread: boolean,
): InboxItem => ({
  itemId: row.item_id,
  kind: row.kind,
  key: row.group_key,
  name: decryptFrom('inbox_items.name', row.item_id, row.name),
  count: Number(row.count),
  clientId: row.client_id ?? undefined,
  clientName: row.client_name ?? undefined,
  since: row.created_at,
  isUnread,
});

/** Finds a row, also one that is done, and marks it as read. NOT_FOUND for one that the actor may not see. */
export async function openItem(actor: Actor, itemId: string): Promise<InboxItem> {
  const row = await itemsOf(actor)
    .leftJoin('clients as named', 'named.client_id', 'inbox_items.client_id')
    .selectAll('inbox_items')
    .select('named.name as client_name')
    .where('inbox_items.item_id', '=', itemId)
    .executeTakeFirst();
  if (!row) throw notFound();
  await unlessStorageIsFull(() => setRead(actor, [itemId], true));
  return present(row, false);
}

/** Marks rows as read or unread for the actor alone, and returns how many. NOT_FOUND rows are left out. */
export async function setRead(actor: Actor, itemIds: readonly string[], isRead: boolean): Promise<number> {
  return inTransaction(async () => {
    const ids = await ownAmong(actor, itemIds);
    if (ids.length === 0) return 0;
    await db()
      .deleteFrom('inbox_reads')
      .where('contact_id', '=', actor.contactId)
      .where('item_id', 'in', ids)
      .execute();
    if (isRead)
      await db()
        .insertInto('inbox_reads')
        .values(ids.map((id) => ({ contact_id: actor.contactId, item_id: id, read_at: now() })))
        .execute();
    return ids.length;
  });
}

/**
 * Marks rows as done, and returns the moment by which {@link undoDone} finds them. NOT_FOUND rows are left out.
 */
export async function markDone(
  actor: Actor,
  itemIds: readonly string[],
): Promise<{ at: number; count: number }> {
  const at = now();
  const count = await inTransaction(async () => {
    const ids = await ownAmong(actor, itemIds);
    if (ids.length === 0) return 0;
    await db()
      .updateTable('inbox_items')
      .set({ done_at: at, done_by: actor.contactId })
      .where('item_id', 'in', ids)
      .execute();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'inbox.done',
      target: actor.contactId,
      details: { count: ids.length },
    });
    return ids.length;
  });
  return { at, count };
}

async function ownAmong(actor: Actor, itemIds: readonly string[]): Promise<string[]> {
  if (itemIds.length === 0) return [];
  const rows = await openOf(actor)
    .select('inbox_items.item_id')
    .where('inbox_items.item_id', 'in', itemIds.slice(0, MAX_AT_ONCE))
    .execute();
  return rows.map(({ item_id: id }) => id);
}

/** Returns to the inbox what the actor marked as done at that moment; entries that came since keep a row of their own. */
export async function undoDone(actor: Actor, at: number): Promise<number> {
  return inTransaction(async () => {
    const rows = await itemsOf(actor)
      .select(['inbox_items.item_id', 'inbox_items.kind', 'inbox_items.group_key'])
      .where('inbox_items.done_by', '=', actor.contactId)
      .where('inbox_items.done_at', '=', at)
      .execute();
    let count = 0;
    for (const { item_id: itemId, kind, group_key: key } of rows) {
      const newer = await db()
        .selectFrom('inbox_items')
        .select('item_id')
        .where('company_id', '=', actor.companyId)
        .where('kind', '=', kind)
        .where('group_key', '=', key)
        .where('done_at', 'is', null)
        .executeTakeFirst();
      if (newer) continue;
      await db()
        .updateTable('inbox_items')
        .set({ done_at: null, done_by: null })
        .where('item_id', '=', itemId)
        .execute();
      count += 1;
    }
    if (count > 0)
      await audit({
        companyId: actor.companyId,
        actor: actor.contactId,
        action: 'inbox.undo',
        target: actor.contactId,
        details: { count },
      });
    return count;
  });
}

/**
 * Marks rows as not the actor's own, which the firm keeps, and returns the moment by which {@link undoNotMine}
 * finds them. NOT_FOUND rows are left out.
 */
export async function markNotMine(
  actor: Actor,
  itemIds: readonly string[],
): Promise<{ at: number; count: number }> {
  const at = now();
  const count = await inTransaction(async () => {
    const ids = await ownAmong(actor, itemIds);
    if (ids.length === 0) return 0;
    await db()
      .insertInto('inbox_dismissals')
      .values(ids.map((id) => ({ item_id: id, contact_id: actor.contactId, dismissed_at: at })))
      .onConflict((conflict) => conflict.columns(['item_id', 'contact_id']).doNothing())
      .execute();
    await auditMine(actor, 'inbox.not-mine', ids.length);
    return ids.length;
  });
  return { at, count };
}

/** Returns to the actor's own rows what they marked as not theirs at that moment. */
export async function undoNotMine(actor: Actor, at: number): Promise<number> {
  return inTransaction(async () => {
    const rows = await db()
      .deleteFrom('inbox_dismissals')
      .where('contact_id', '=', actor.contactId)
      .where('dismissed_at', '=', at)
      .returning('item_id')
      .execute();
    if (rows.length > 0) await auditMine(actor, 'inbox.mine', rows.length);
    return rows.length;
  });
}

const auditMine = (actor: Actor, action: 'inbox.mine' | 'inbox.not-mine', count: number): Promise<void> =>
  audit({
    companyId: actor.companyId,
    actor: actor.contactId,
    action,
    target: actor.contactId,
    details: { count },
  });

const RETENTION = 30 * DAY;

/** Deletes rows that were done a month ago. */
export async function sweepInbox(): Promise<void> {
  await db()
    .deleteFrom('inbox_items')
    .where('done_at', '<', now() - RETENTION)
    .execute();
}
