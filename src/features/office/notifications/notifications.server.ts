import { sql, type Selectable } from 'kysely';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { countIn, countUpTo, db, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { notFound, PortalError, unlessStorageIsFull } from '#platform/runtime/errors.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { sharedRead } from '#platform/database/shared-reads.server.ts';
import { MAX_UNREAD, type ListedState, type Notification } from './notifications.ts';
import { raiseAttention } from '#features/office/live/attention.server.ts';
import { cancelHeldMails } from './rows.server.ts';

const PAGE = 50;

/** What an actor was told; about a client only while they may act for it. */
const notificationsOf = (actor: Actor) =>
  db()
    .selectFrom('notifications')
    .where('notifications.contact_id', '=', actor.contactId)
    .where((e) =>
      e.or([
        e('notifications.client_id', 'is', null),
        e.exists(clientIdsOf(actor).where('clients.client_id', '=', sql<string>`notifications.client_id`)),
      ]),
    );

const unreadIds = (actor: Actor) =>
  notificationsOf(actor).where('notifications.read_at', 'is', null).select('notifications.notification_id');

/** Counts what the actor has not read, up to `MAX_UNREAD`. */
export const countUnread = sharedRead(
  (actor: Actor): Promise<number> => countUpTo(unreadIds(actor), MAX_UNREAD),
  ({ contactId }) => contactId,
);

const COUNTED_AT_ONCE = 50;

/** As {@link countUnread}, for several people in few statements. */
export async function countUnreadOf(actors: readonly Actor[]): Promise<number[]> {
  const counts: number[] = [];
  for (let at = 0; at < actors.length; at += COUNTED_AT_ONCE) {
    const some = actors.slice(at, at + COUNTED_AT_ONCE);
    const row = await db()
      .selectNoFrom(some.map((actor, place) => countIn(unreadIds(actor), MAX_UNREAD).as(`of_${place}`)))
      .executeTakeFirstOrThrow();
    counts.push(...some.map((_, place) => Number(row[`of_${place}`])));
  }
  return counts;
}

interface NotificationPage {
  items: Notification[];
  /** Where the next page begins; absent on the last one. */
  next: string | undefined;
}

/** Lists what the actor was told, the newest first. */
export async function listNotifications(
  actor: Actor,
  { state, before, limit = PAGE }: { state: ListedState; before: string; limit?: number },
): Promise<NotificationPage> {
  const time = state === 'put-away' ? 'notifications.put_away_at' : 'notifications.changed_at';
  const [at = '', id = ''] = before.split('.');
  const rows = await inState(actor, state)
    .leftJoin('clients as named', 'named.client_id', 'notifications.client_id')
    .selectAll('notifications')
    .select('named.name as client_name')
    .$if(before !== '', (all) =>
      all.where((e) =>
        e.or([
          e(time, '<', Number(at)),
          e.and([e(time, '=', Number(at)), e('notifications.notification_id', '<', id)]),
        ]),
      ),
    )
    .orderBy(time, 'desc')
    .orderBy('notifications.notification_id', 'desc')
    .limit(limit + 1)
    .execute();
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    items: await presented(shown),
    next:
      last && `${(state === 'put-away' ? last.put_away_at : last.changed_at) ?? 0}.${last.notification_id}`,
  };
}

const inState = (actor: Actor, state: ListedState) =>
  notificationsOf(actor)
    .$if(state === 'unread', (all) => all.where('notifications.read_at', 'is', null))
    .$if(state === 'all', (all) => all.where('notifications.put_away_at', 'is', null))
    .$if(state === 'put-away', (all) => all.where('notifications.put_away_at', 'is not', null));

type Row = Selectable<Tables['notifications']> & { client_name: string | null };

/** Rows with what they are about: a thing that still is so, if there is one. */
async function presented(rows: readonly Row[]): Promise<Notification[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.notification_id);
  const things = await db()
    .selectFrom('notification_targets as things')
    .selectAll('things')
    .where('things.notification_id', 'in', ids)
    .where('things.target', '=', (e) =>
      e
        .selectFrom('notification_targets as first')
        .select('first.target')
        .whereRef('first.notification_id', '=', 'things.notification_id')
        .orderBy('first.is_open', 'desc')
        .orderBy('first.target')
        .limit(1),
    )
    .execute();
  const byId = new Map(things.map((thing) => [thing.notification_id, thing]));
  return rows.flatMap((row) => {
    const thing = byId.get(row.notification_id);
    return thing ? [present(row, thing)] : [];
  });
}

function present(row: Row, thing: Selectable<Tables['notification_targets']>): Notification {
  const key = `${thing.notification_id}/${thing.target}`;
  return {
    notificationId: row.notification_id,
    kind: row.kind,
    target: thing.target,
    name: decryptFrom('notification_targets.name', key, thing.name),
    detail: decryptFrom('notification_targets.detail', key, thing.detail),
    count: Number(row.count),
    clientId: row.client_id ?? undefined,
    clientName: row.client_name ?? undefined,
    changedAt: Number(row.changed_at),
    isUnread: row.read_at === null,
    isPutAway: row.put_away_at !== null,
  };
}

/** Finds a notification that the actor may still see and has not read; undefined if there is none. Changes nothing. */
export async function unreadNotification(actor: Actor, id: string): Promise<Notification | undefined> {
  const row = await notificationsOf(actor)
    .leftJoin('clients as named', 'named.client_id', 'notifications.client_id')
    .selectAll('notifications')
    .select('named.name as client_name')
    .where('notifications.notification_id', '=', id)
    .where('notifications.read_at', 'is', null)
    .executeTakeFirst();
  const [found] = row ? await presented([row]) : [];
  return found;
}

/** Finds a notification that the actor follows, and marks it as read unless somebody views as them. NOT_FOUND. */
export async function openNotification(actor: Actor, id: string): Promise<Notification> {
  const row = await notificationsOf(actor)
    .leftJoin('clients as named', 'named.client_id', 'notifications.client_id')
    .selectAll('notifications')
    .select('named.name as client_name')
    .where('notifications.notification_id', '=', id)
    .executeTakeFirst();
  const [found] = row ? await presented([row]) : [];
  if (!found) throw notFound();
  if (found.isUnread && actor.viewedBy === undefined)
    await unlessStorageIsFull(async () => void (await markRead(actor, [id])));
  return found;
}

/** What was changed at once, by which it is undone. */
export interface Marked {
  at: number;
  count: number;
}

/** Marks notifications as read, which cancels the emails that wait to say the same. Those of others are left out. */
export const markRead = (actor: Actor, ids: readonly string[]): Promise<Marked> =>
  change(actor, (at) =>
    unreadOf(actor)
      .set({ read_at: at })
      .where('notification_id', 'in', [...ids, ''])
      .returning('notification_id'),
  );

/** Marks as read what the actor had not read when they saw the list; what came later stays unread. */
export const markAllRead = (actor: Actor, upTo: number): Promise<Marked> =>
  change(actor, (at) =>
    unreadOf(actor).set({ read_at: at }).where('changed_at', '<=', upTo).returning('notification_id'),
  );

const unreadOf = (actor: Actor) =>
  db().updateTable('notifications').where('contact_id', '=', actor.contactId).where('read_at', 'is', null);

/** Puts notifications away, which are read by that. Those of others are left out. */
export const putAway = (actor: Actor, ids: readonly string[]): Promise<Marked> =>
  change(actor, (at) =>
    db()
      .updateTable('notifications')
      .set((e) => ({ put_away_at: at, read_at: e.fn.coalesce('read_at', e.val(at)) }))
      .where('contact_id', '=', actor.contactId)
      .where('put_away_at', 'is', null)
      .where('notification_id', 'in', [...ids, ''])
      .returning('notification_id'),
  );

interface Change {
  execute: () => Promise<readonly unknown[]>;
}

async function change(actor: Actor, changeAt: (at: number) => Change): Promise<Marked> {
  assertOwn(actor);
  return inTransaction(async () => {
    const at = now();
    const changed = await changeAt(at).execute();
    if (changed.length > 0) {
      await cancelHeldMails(actor.contactId);
      await raiseAttention([actor.contactId]);
    }
    return { at, count: changed.length };
  });
}

/** Nobody changes what another person has read. */
function assertOwn({ viewedBy }: Actor): void {
  if (viewedBy !== undefined) throw new PortalError('FORBIDDEN');
}

/** Marks as unread what the actor read at that moment, and takes back what they put away. */
export async function undo(actor: Actor, at: number): Promise<void> {
  assertOwn(actor);
  await inTransaction(async () => {
    const own = db().updateTable('notifications').where('contact_id', '=', actor.contactId);
    await own
      .set({ read_at: null })
      .where('read_at', '=', at)
      // one that came since has the place of an unread one of its kind
      .where((e) =>
        e.not(
          e.exists(
            e
              .selectFrom('notifications as newer')
              .select('newer.notification_id')
              .whereRef('newer.contact_id', '=', 'notifications.contact_id')
              .whereRef('newer.kind', '=', 'notifications.kind')
              .whereRef('newer.group_key', '=', 'notifications.group_key')
              .where('newer.read_at', 'is', null),
          ),
        ),
      )
      .execute();
    await own.set({ put_away_at: null }).where('put_away_at', '=', at).execute();
    await raiseAttention([actor.contactId]);
  });
}

/** Returns to the list what was put away. */
export async function takeOut(actor: Actor, ids: readonly string[]): Promise<void> {
  assertOwn(actor);
  await db()
    .updateTable('notifications')
    .set({ put_away_at: null })
    .where('contact_id', '=', actor.contactId)
    .where('notification_id', 'in', [...ids, ''])
    .execute();
}

const RETENTION = 180 * DAY;
const AT_ONCE = 500;

/** Deletes what nobody was told of again for half a year. */
export async function sweepNotifications(): Promise<void> {
  const old = db()
    .selectFrom('notifications')
    .select('notification_id')
    .where('changed_at', '<', now() - RETENTION)
    .limit(AT_ONCE);
  let deleted = AT_ONCE;
  while (deleted === AT_ONCE) {
    const result = await db()
      .deleteFrom('notifications')
      .where('notification_id', 'in', old)
      .executeTakeFirst();
    deleted = Number(result.numDeletedRows);
  }
}
