import { db } from '#platform/database.server.ts';
import { nameKey } from './containers.server.ts';
import { freeName } from './rules.ts';
import type { ContainerRow } from './store.server.ts';

/**
 * The name itself, or with the first number that nobody in the container has taken. Another document may take
 * it before it is used: the database then refuses the second.
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

/** A beginning that a name and its numbered forms share, even those of a long name that were shortened. */
const nameStart = (name: string): string =>
  [...(/^[^(.]*/.exec(nameKey(name))?.[0] ?? '')].slice(0, 40).join('');
