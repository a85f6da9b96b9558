import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { assertManagesClients, managerNow, note } from './editing.server.ts';

/** As many clients can be changed at once. */
export const MAX_AT_ONCE = 200;

/** A client to archive, and what that ends. */
interface ToArchive {
  id: string;
  name: string;
  contacts: number;
  /** Links to its documents that work now. */
  links: number;
}

/** Finds the current clients among these ids, with what archiving them ends, by name. */
export async function clientsToArchive(actor: Actor, ids: readonly string[]): Promise<ToArchive[]> {
  assertManagesClients(actor);
  if (ids.length === 0) return [];
  const rows = await db()
    .selectFrom('clients')
    .select((e) => [
      'client_id as id',
      'name',
      e
        .selectFrom('client_contacts')
        .select((contacts) => contacts.fn.countAll<number>().as('count'))
        .whereRef('client_contacts.client_id', '=', 'clients.client_id')
        .as('contacts'),
      e
        .selectFrom('share_clients')
        .innerJoin('shares', 'shares.share_id', 'share_clients.share_id')
        .select((shares) => shares.fn.countAll<number>().as('count'))
        .whereRef('share_clients.client_id', '=', 'clients.client_id')
        .where('shares.revoked_at', 'is', null)
        .where('shares.expires_at', '>', now())
        .as('links'),
    ])
    .where('client_id', 'in', ids.slice(0, MAX_AT_ONCE))
    .where('client_id', 'in', clientIdsOf(actor))
    .where('archived_at', 'is', null)
    .orderBy('name_key')
    .execute();
  return rows.map(({ contacts, links, ...row }) => ({
    ...row,
    contacts: Number(contacts),
    links: Number(links),
  }));
}

/**
 * Archives clients: their contacts no longer see them, and links to their documents stop working, until they
 * are restored. Documents, receipts and the audit log stay. Returns how many were archived; NOT_FOUND unless
 * the actor may see all of them.
 */
export const archiveClients = (actor: Actor, ids: readonly string[]): Promise<number> =>
  setArchived(actor, ids, true);

/** Restores archived clients. A client that was merged into another one is not found. */
export const restoreClients = (actor: Actor, ids: readonly string[]): Promise<number> =>
  setArchived(actor, ids, false);

async function setArchived(actor: Actor, ids: readonly string[], isArchived: boolean): Promise<number> {
  assertManagesClients(actor);
  const wanted = [...new Set(ids)];
  if (wanted.length > MAX_AT_ONCE) throw new PortalError('TOO_LARGE', { most: MAX_AT_ONCE });
  return inTransaction(async () => {
    const current = await managerNow(actor);
    let count = 0;
    for (const id of wanted) {
      const row = await db()
        .selectFrom('clients')
        .select(['archived_at', 'modified_at'])
        .where('client_id', '=', id)
        .where('client_id', 'in', clientIdsOf(current))
        .executeTakeFirst();
      if (!row) throw notFound();
      if ((row.archived_at !== null) === isArchived) continue;
      await db()
        .updateTable('clients')
        .set({ archived_at: isArchived ? now() : null, modified_at: Math.max(now(), row.modified_at + 1) })
        .where('client_id', '=', id)
        .execute();
      await note(current, isArchived ? 'client.archive' : 'client.restore', id);
      count += 1;
    }
    return count;
  });
}
