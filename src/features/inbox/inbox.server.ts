import { sql } from 'kysely';
import { clientIdsOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { audit } from '#platform/audit.server.ts';
import { DAY, now } from '#platform/clock.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { MAX_COUNTED, type InboxCounts, type InboxItem, type InboxQuery } from './inbox.ts';

const PAGE = 50;
const MAX_AT_ONCE = 200;

/**
 * The open rows that an actor may see: about clients they may act for, for themselves, and for staff who act
 * for all clients those about no client. FORBIDDEN for contacts.
 */
function itemsOf(actor: Actor) {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  const isOfOwn = clientIdsOf(actor).where('clients.client_id', '=', sql<string>`inbox_items.client_id`);
  return db()
    .selectFrom('inbox_items')
    .where('inbox_items.company_id', '=', actor.companyId)
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

/** Of these, those about clients the actor is responsible for, or for themselves, and not marked as not theirs. */
const mineOf = (actor: Actor) =>
  openOf(actor)
    .where((e) =>
      e.or([
        e('inbox_items.contact_id', '=', actor.contactId),
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

/** How many rows the inbox shows at first; undefined if none, and for those who have no inbox. */
export async function waitingFor(actor: Actor): Promise<number | undefined> {
  if (!actor.staff) return undefined;
  const { mine, all } = await inboxCounts(actor);
  return (mine > 0 ? mine : all) || undefined;
}

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
    .select([
      'named.name as client_name',
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
  const items = rows.map((row) => ({
    itemId: row.item_id,
    kind: row.kind,
    key: row.group_key,
    name: decryptFrom('inbox_items.name', row.item_id, row.name),
    count: Number(row.count),
    clientId: row.client_id ?? undefined,
    clientName: row.client_name ?? undefined,
    since: row.created_at,
  }));
  const total = kind === '' ? counts[shown] : await countOf(found);
  return { items, of: shown, counts, total, pageSize: PAGE };
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

/** Takes rows out of the actor's own part of the inbox, or returns them; the firm keeps them. */
export async function setMine(actor: Actor, itemIds: readonly string[], isMine: boolean): Promise<number> {
  return inTransaction(async () => {
    const ids = await ownAmong(actor, itemIds);
    if (ids.length === 0) return 0;
    await db()
      .deleteFrom('inbox_dismissals')
      .where('contact_id', '=', actor.contactId)
      .where('item_id', 'in', ids)
      .execute();
    if (!isMine)
      await db()
        .insertInto('inbox_dismissals')
        .values(ids.map((id) => ({ item_id: id, contact_id: actor.contactId })))
        .execute();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: isMine ? 'inbox.mine' : 'inbox.not-mine',
      target: actor.contactId,
      details: { count: ids.length },
    });
    return ids.length;
  });
}

const RETENTION = 30 * DAY;

/** Deletes rows that were done a month ago. */
export async function sweepInbox(): Promise<void> {
  await db()
    .deleteFrom('inbox_items')
    .where('done_at', '<', now() - RETENTION)
    .execute();
}
