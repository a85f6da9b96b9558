import { nameKey } from '#features/documents/folders/names.server.ts';
import { freeName } from '#features/documents/folders/rules.ts';
import type { ContainerRow } from '#features/documents/folders/scope.server.ts';
import { db } from '#platform/database/database.server.ts';

/** Finds which of these folded names are taken in a container. */
export async function namesTaken(containerId: string, nameKeys: string[]): Promise<Set<string>> {
  if (nameKeys.length === 0) return new Set();
  const rows = await db()
    .selectFrom('documents')
    .select('name_key')
    .where('container_id', '=', containerId)
    .where('deleted_at', 'is', null)
    .where('name_key', 'in', nameKeys)
    .execute();
  return new Set(rows.map((row) => row.name_key));
}

/**
 * Returns the name itself, or with the first number that is not taken in the container. Another document may
 * take it before it is used: the database then refuses the second.
 */
export async function nextFreeName(place: ContainerRow, name: string): Promise<string> {
  const start = nameStart(name);
  const rows = await db()
    .selectFrom('documents')
    .select('name_key')
    .where('container_id', '=', place.container_id)
    .where('deleted_at', 'is', null)
    .where('name_key', '>=', start)
    .where('name_key', '<', `${start}\u{10ffff}`)
    .execute();
  const taken = new Set(rows.map((row) => row.name_key));
  return freeName(name, (candidate) => taken.has(nameKey(candidate)));
}

/** A prefix that a name and its numbered forms share, even those of a long name that were truncated. */
const nameStart = (name: string): string =>
  [...(/^[^(.]*/.exec(nameKey(name))?.[0] ?? '')].slice(0, 40).join('');
