import { sql, type RawBuilder, type Selectable, type SqlBool } from 'kysely';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { raiseAttention } from '#features/office/live/attention.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import {
  comparedColumn,
  countIn,
  countUpTo,
  db,
  inTransaction,
  isShared,
} from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { notFound, PortalError, unlessStorageIsFull } from '#platform/runtime/errors.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { sharedRead } from '#platform/database/shared-reads.server.ts';
import { hiddenKinds, teamWideKinds } from './contributions.server.ts';
import { MAX_COUNTED, MAX_UNREAD, type InboxCounts, type InboxItem, type InboxQuery } from './inbox.ts';

const PAGE = 50;
const MAX_AT_ONCE = 200;

/**
 * The rows that an actor may see: about clients they may act for, for themselves, and for staff who act for all clients
 * those of the firm; without the kinds they may not see. FORBIDDEN for contacts.
 */
function itemsOf(actor: Actor, companyId: RawBuilder<string> = sql.ref('inbox_items.company_id')) {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  const hidden = hiddenKinds(actor);
  const isOfOwn = clientIdsOf(actor).where('clients.client_id', '=', sql<string>`inbox_items.client_id`);
  return (
    db()
      .selectFrom('inbox_items')
      .where(companyId, '=', actor.companyId)
      .$if(hidden.ofClients.length > 0, (items) =>
        items.where('inbox_items.kind', 'not in', hidden.ofClients),
      )
      // nearly all rows are about a client, and need not be compared with these
      .$if(hidden.teamWide.length > 0, (items) =>
        items.where((e) =>
          e.or([
            e('inbox_items.client_id', 'is not', null),
            e('inbox_items.kind', 'not in', hidden.teamWide),
          ]),
        ),
      )
      .$if(!actor.hasAllClients, (items) =>
        items.where((e) =>
          e.or([
            e.exists(isOfOwn),
            e.and([
              e('inbox_items.client_id', 'is', null),
              e('inbox_items.contact_id', '=', actor.contactId),
            ]),
          ]),
        ),
      )
  );
}

const openOf = (actor: Actor, companyId?: RawBuilder<string>) =>
  itemsOf(actor, companyId).where('inbox_items.done_at', 'is', null);

/**
 * Of these, those about clients the actor is responsible for, for themselves, and those of everybody; not those that are marked as not theirs.
 */
const mineOf = (actor: Actor, companyId?: RawBuilder<string>) =>
  openOf(actor, companyId)
    .where((e) =>
      e.or([
        e('inbox_items.contact_id', '=', actor.contactId),
        ...teamWideKinds(actor).map((kind) => e('inbox_items.kind', '=', kind)),
        e.exists(
          assignedTo(actor, 'mine').where('staff_clients.client_id', '=', sql<string>`inbox_items.client_id`),
        ),
      ]),
    )
    .where((e) => e.not(e.exists(dismissedBy(actor))));

const dismissedBy = (actor: Actor) =>
  db()
    .selectFrom('inbox_dismissals')
    .select('inbox_dismissals.item_id')
    .where('inbox_dismissals.item_id', '=', sql<string>`inbox_items.item_id`)
    .where('inbox_dismissals.contact_id', '=', actor.contactId);

/** The clients that the actor is responsible for, or all that are assigned to them. */
const assignedTo = (actor: Actor, of: Whose) =>
  db()
    .selectFrom('staff_clients')
    .select('staff_clients.client_id')
    .where('staff_clients.contact_id', '=', actor.contactId)
    .$if(of === 'mine', (all) => all.where('staff_clients.is_responsible', '=', 1));

type Whose = 'mine' | 'all';

/** Rows are looked up by client for staff with so many clients at most. */
const MAX_CLIENTS_LOOKED_UP = 1000;

/**
 * Whether the open rows of an actor are looked up by their clients: they are few. Else they are found soon in the order of
 * the inbox.
 */
const areLookedUp = sharedRead(
  async (actor: Actor, of: Whose): Promise<boolean> => {
    if (of === 'all' && actor.hasAllClients) return false;
    const [maxClients, maxRows] = [MAX_CLIENTS_LOOKED_UP + 1, MAX_COUNTED + 1];
    const clients = countIn(assignedTo(actor, of), maxClients);
    const rows = countIn(lookedUp(actor, of, maxClients), maxRows);
    const areFew = sql<number>`case when ${clients} < ${maxClients} then case when ${rows} < ${maxRows} then 1 else 0 end else 0 end`;
    const answer = await db().selectNoFrom(areFew.as('are_few')).executeTakeFirstOrThrow();
    return answer.are_few === 1;
  },
  ({ contactId }, of) => `${contactId} ${of}`,
);

/** Rows among which the open ones of an actor are, some of them twice; with `kind`, those of this kind. */
function lookedUp(actor: Actor, of: Whose, maxClients: number, kind?: string) {
  const open = db()
    .selectFrom('inbox_items')
    .select('inbox_items.item_id')
    .where('inbox_items.done_at', 'is', null)
    .$if(kind !== undefined, (items) => items.where('inbox_items.kind', '=', kind ?? ''));
  const assigned = assignedTo(actor, of).limit(maxClients);
  const ofClients = isShared
    ? // client by client: PostgreSQL would rather read all rows of the firm
      sql<{ item_id: string }>`(select own.item_id from (${assigned}) as assigned cross join lateral (${open
        .where('inbox_items.client_id', '=', sql<string>`assigned.client_id`)
        .offset(0)}) as own)`
    : sql<{
        item_id: string;
      }>`(${open.where('inbox_items.client_id', 'in', db().selectFrom(assigned.as('assigned')).select('client_id'))})`;
  return db()
    .selectFrom(ofClients.as('of_clients'))
    .select('of_clients.item_id')
    .unionAll(open.where('inbox_items.contact_id', '=', actor.contactId))
    .unionAll(
      open
        .where('inbox_items.company_id', '=', actor.companyId)
        .where('inbox_items.kind', 'in', ['', ...teamWideKinds(actor)]),
    );
}

/** The rows that wait for the firm or for the actor; `inOrder` if they are found in the order of the inbox. */
async function openRows(actor: Actor, of: Whose) {
  const rowsOf = of === 'mine' ? mineOf : openOf;
  if (!(await areLookedUp(actor, of))) return { rows: rowsOf(actor), inOrder: true };
  // SQLite would rather walk through the rows of the firm
  const rows = rowsOf(actor, comparedColumn('inbox_items.company_id'));
  const found = lookedUp(actor, of, MAX_CLIENTS_LOOKED_UP);
  return { rows: rows.where('inbox_items.item_id', 'in', found), inOrder: false };
}

/** With so many clients at most, rows of a kind are looked up by client. */
const MAX_CLIENTS_OF_KIND = 5000;
/** So many rows of a kind are looked up: some may be dismissed, or there twice. */
const MAX_OF_KIND = MAX_COUNTED + 200;

const hasFewClients = async (actor: Actor, of: Whose): Promise<boolean> =>
  (of === 'mine' || !actor.hasAllClients) &&
  (await countUpTo(assignedTo(actor, of), MAX_CLIENTS_OF_KIND + 1)) <= MAX_CLIENTS_OF_KIND;

/** Of these, the rows of a kind: few ones are looked up by their kind, those of assigned clients by client and kind. */
async function openRowsOfKind(actor: Actor, of: Whose, kind: string) {
  const { rows, inOrder } = await openRows(actor, of);
  if (inOrder && (await hasFewClients(actor, of))) {
    const found = lookedUp(actor, of, MAX_CLIENTS_OF_KIND, kind);
    const some = (await found.limit(MAX_OF_KIND + 1).execute()).map(({ item_id: id }) => id);
    const rowsOf = of === 'mine' ? mineOf : openOf;
    const own = rowsOf(actor, comparedColumn('inbox_items.company_id')).where('inbox_items.item_id', 'in', [
      '',
      ...some,
    ]);
    const total = await countUpTo(ids(own), MAX_COUNTED);
    if (total >= MAX_COUNTED)
      return { rows: rows.where(comparedColumn('inbox_items.kind'), '=', kind), inOrder: true, total };
    if (some.length <= MAX_OF_KIND) return { rows: own, inOrder: false, total };
  }
  const total = await countUpTo(ids(rows.where('inbox_items.kind', '=', kind)), MAX_COUNTED);
  const isCommon = inOrder && total >= MAX_COUNTED;
  const column = isCommon ? comparedColumn('inbox_items.kind') : sql.ref<string>('inbox_items.kind');
  return { rows: rows.where(column, '=', kind), inOrder: isCommon, total };
}

type OpenRows = ReturnType<typeof openOf>;

/** Counts what waits for the firm and for the actor. */
export async function inboxCounts(actor: Actor): Promise<InboxCounts> {
  const [mine, all] = [await openRows(actor, 'mine'), await openRows(actor, 'all')];
  const counts = await db()
    .selectNoFrom([
      countIn(ids(mine.rows), MAX_COUNTED).as('mine'),
      countIn(ids(all.rows), MAX_COUNTED).as('all'),
    ])
    .executeTakeFirstOrThrow();
  return { mine: Number(counts.mine), all: Number(counts.all) };
}

/** Counts the rows of a kind that the inbox lists, and says since when the oldest waits. */
export async function countKind(
  actor: Actor,
  { of, kind }: { of: Whose; kind: string },
): Promise<{ n: number; isMore: boolean; since: number | undefined }> {
  const { rows, total } = await openRowsOfKind(actor, of, kind);
  const oldest =
    total > 0 && total < MAX_COUNTED
      ? await rows.select((e) => e.fn.min('inbox_items.created_at').as('since')).executeTakeFirst()
      : undefined;
  return {
    n: total,
    isMore: total >= MAX_COUNTED,
    since: oldest?.since === undefined ? undefined : Number(oldest.since),
  };
}

/**
 * How many rows that the inbox shows at first are unread, of a thousand at most; undefined if none, and for those who have
 * no inbox.
 */
export async function unreadFor(actor: Actor): Promise<number | undefined> {
  if (!actor.staff) return undefined;
  const mine = (await openRows(actor, 'mine')).rows;
  const unread = await unreadAmong(actor, mine);
  if (unread > 0) return unread;
  if ((await countUpTo(ids(mine), 1)) > 0) return undefined;
  return (await unreadAmong(actor, (await openRows(actor, 'all')).rows)) || undefined;
}

/** How many of a thousand rows, the newest ones, the actor has not read; counting stops at `MAX_UNREAD`. */
function unreadAmong(actor: Actor, rows: OpenRows): Promise<number> {
  const newest = rows
    .select(['inbox_items.item_id', 'inbox_items.added_at'])
    .orderBy('inbox_items.created_at', 'desc')
    .limit(MAX_COUNTED)
    .as('inbox_items');
  return countUpTo(
    db()
      .selectFrom(newest)
      .select('inbox_items.item_id')
      .where((e) => e.not(e.exists(readBy(actor)))),
    MAX_UNREAD,
  );
}

const ids = (rows: OpenRows) => rows.select('inbox_items.item_id');

/** The marks of the actor that a row is read, which nothing came in after. */
const readBy = (actor: Actor) =>
  db()
    .selectFrom('inbox_reads')
    .select('inbox_reads.item_id')
    .where('inbox_reads.contact_id', '=', actor.contactId)
    .where('inbox_reads.item_id', '=', sql<string>`inbox_items.item_id`)
    .where('inbox_reads.read_at', '>=', sql<number>`inbox_items.added_at`);

export interface InboxPage {
  items: InboxItem[];
  /** Whose rows these are: by default the own ones, if there are any. */
  of: Whose;
  counts: InboxCounts;
  /** At most `MAX_COUNTED`. */
  total: number;
  /** How many rows are before these, as far as the links of the pages say. */
  start: number;
  /** Where the pages after and before this one begin. */
  next: string | undefined;
  previous: string | undefined;
}

/** Lists what waits, 50 a page: the client who has waited longest first, and its rows the oldest first. */
export async function listInbox(actor: Actor, { of, kind, after }: InboxQuery): Promise<InboxPage> {
  const counts = await inboxCounts(actor);
  const shown = of === '' ? (counts.mine > 0 ? 'mine' : 'all') : of;
  const {
    rows: open,
    inOrder,
    total,
  } = kind === ''
    ? { ...(await openRows(actor, shown)), total: counts[shown] }
    : await openRowsOfKind(actor, shown, kind);
  const place = placeIn(after);
  const dir = place?.isBack ? 'desc' : 'asc';
  // where the rows are looked up, the index of their order must not be walked
  const since = inOrder ? sql<number>`inbox_items.client_since` : sql<number>`(inbox_items.client_since + 0)`;
  const order = [
    since,
    sql<string>`coalesce(inbox_items.client_id, inbox_items.item_id)`,
    sql<number>`inbox_items.created_at`,
    sql<string>`inbox_items.item_id`,
  ];
  const found = await open
    .leftJoin('clients as named', 'named.client_id', 'inbox_items.client_id')
    .selectAll('inbox_items')
    .select((e) => ['named.name as client_name', e.not(e.exists(readBy(actor))).as('is_unread')])
    .$if(place !== undefined, (items) => items.where(isBeyond(order, place)))
    .$call((items) => order.reduce((ordered, by) => ordered.orderBy(by, dir), items))
    .limit(PAGE + 1)
    .execute();
  const rows = place?.isBack ? found.slice(0, PAGE).toReversed() : found.slice(0, PAGE);
  const isMore = found.length > PAGE;
  const start = place?.isBack ? (isMore ? Math.max(place.at - rows.length, 1) : 0) : (place?.at ?? 0);
  const [first, last] = [rows[0], rows.at(-1)];
  const [hasPrevious, hasNext] = place?.isBack ? [isMore, true] : [place !== undefined, isMore];
  return {
    items: rows.map((row) => present(row, Boolean(row.is_unread))),
    of: shown,
    counts,
    total,
    start,
    next: hasNext && last ? placeAt(last, { at: start + rows.length, isBack: false }) : undefined,
    previous: hasPrevious && first ? placeAt(first, { at: start, isBack: true }) : undefined,
  };
}

/** A place between two rows of the inbox: after one or, on the way back, before one. */
interface Place {
  /** How many rows are before it. */
  at: number;
  isBack: boolean;
  /** What orders the row. */
  values: readonly (string | number)[];
}

const placeAt = (
  row: Pick<Selectable<Tables['inbox_items']>, 'item_id' | 'client_id' | 'client_since' | 'created_at'>,
  { at, isBack }: Omit<Place, 'values'>,
): string =>
  [isBack ? 'b' : 'a', at, row.client_since, row.client_id ?? row.item_id, row.created_at, row.item_id].join(
    '.',
  );

/** Reads a place from an address; undefined for the beginning. */
function placeIn(after: string): Place | undefined {
  const [side, at, since, key = '', created, itemId = ''] = after.split('.');
  const values = [Number(since), key, Number(created), itemId];
  return after === '' ? undefined : { at: Number(at), isBack: side === 'b', values };
}

/** The rows beyond a place: SQLite finds it in an index of an expression by the first value alone. */
function isBeyond(order: readonly RawBuilder<unknown>[], place: Place | undefined): RawBuilder<SqlBool> {
  const { isBack = false, values = [] } = place ?? {};
  const than = isBack ? sql`<` : sql`>`;
  return sql<SqlBool>`(${order[0]} ${than}= ${values[0]} and (${sql.join(order)}) ${than} (${sql.join(values)}))`;
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
  detail: row.detail === null ? '' : decryptFrom('inbox_items.detail', row.item_id, row.detail),
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
    await raiseAttention([actor.contactId]);
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
    await raiseAttention([actor.companyId]);
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
    if (count === 0) return 0;
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'inbox.undo',
      target: actor.contactId,
      details: { count },
    });
    await raiseAttention([actor.companyId]);
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
    await raiseAttention([actor.contactId]);
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
    if (rows.length === 0) return 0;
    await auditMine(actor, 'inbox.mine', rows.length);
    await raiseAttention([actor.contactId]);
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
