import { z } from 'zod';
import type { Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import type { GridCore } from './define.server.ts';

/*
 * What a person keeps for a grid: the columns shown, and filters with a name. These settings change what no one else
 * sees, so they are not in the audit log.
 */

const columnNames = z.array(z.string());

/** The columns that the person shows, in the order of the definition: as chosen, or the usual ones. */
export async function shownColumns({ name, columns }: GridCore, { contactId }: Actor): Promise<string[]> {
  const row = await db()
    .selectFrom('grid_columns')
    .select('columns')
    .where('contact_id', '=', contactId)
    .where('grid', '=', name)
    .executeTakeFirst();
  const chosen = row && columnNames.parse(JSON.parse(row.columns));
  return Object.entries(columns).flatMap(([key, { isRowHeader, isHidden }]) =>
    isRowHeader || (chosen ? chosen.includes(key) : !isHidden) ? [key] : [],
  );
}

/** Keeps the columns that the person shows. Unknown names are ignored. */
export async function showColumns(
  { name, columns }: GridCore,
  { contactId }: Actor,
  chosen: readonly string[],
): Promise<void> {
  const row = { columns: JSON.stringify(Object.keys(columns).filter((key) => chosen.includes(key))) };
  await db()
    .insertInto('grid_columns')
    .values({ contact_id: contactId, grid: name, ...row })
    .onConflict((conflict) => conflict.columns(['contact_id', 'grid']).doUpdateSet(row))
    .execute();
}

export interface SavedFilter {
  id: string;
  name: string;
  query: string;
}

const MAX_SAVED = 20;

/** The filters that the person saved for a grid, by name. */
export async function savedFilters(
  { name: grid }: Pick<GridCore, 'name'>,
  { contactId }: Actor,
): Promise<SavedFilter[]> {
  const rows = await db()
    .selectFrom('grid_filters')
    .select(['filter_id', 'name', 'query'])
    .where('contact_id', '=', contactId)
    .where('grid', '=', grid)
    .orderBy('created_at')
    .orderBy('filter_id')
    .execute();
  return rows.map(({ filter_id: id, name, query }) => ({
    id,
    name: decryptFrom('grid_filters.name', id, name),
    query: decryptFrom('grid_filters.query', id, query),
  }));
}

/** Saves a query under a name, which replaces the one of the same name; TOO_MANY beyond 20. */
export async function saveFilter(
  grid: Pick<GridCore, 'name'>,
  actor: Actor,
  { name, query }: { name: string; query: string },
): Promise<void> {
  await inTransaction(async () => {
    const known = await savedFilters(grid, actor);
    const same = known.find((filter) => filter.name === name);
    if (!same && known.length >= MAX_SAVED) throw new PortalError('TOO_MANY', { most: MAX_SAVED });
    if (same) await removeFilter(grid, actor, same.id);
    const id = newId('filter');
    await db()
      .insertInto('grid_filters')
      .values({
        filter_id: id,
        contact_id: actor.contactId,
        grid: grid.name,
        name: encryptFor('grid_filters.name', id, name),
        query: encryptFor('grid_filters.query', id, query),
        created_at: now(),
      })
      .execute();
  });
}

/** Removes a filter that the person saved; NOT_FOUND for those of others. */
export async function removeFilter(
  { name }: Pick<GridCore, 'name'>,
  { contactId }: Actor,
  id: string,
): Promise<void> {
  const { numDeletedRows } = await db()
    .deleteFrom('grid_filters')
    .where('filter_id', '=', id)
    .where('contact_id', '=', contactId)
    .where('grid', '=', name)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound();
}
