import type { Actor } from '#features/people/people.ts';
import { fold } from '#platform/database.server.ts';
import { CONTAINER_TYPES, type ContainerType } from './folders.ts';
import { containersOf } from './scope.server.ts';

/** The form in which names are compared within a container: composed and folded. */
export const nameKey = (name: string): string => fold(name.normalize('NFC'));

/** Loads the names and types of those containers that the actor may see, by id. */
export async function containerNames(
  actor: Actor,
  ids: readonly string[],
): Promise<Map<string, { name: string; containerType: ContainerType }>> {
  if (ids.length === 0) return new Map();
  const rows = await containersOf(actor).where('containers.container_id', 'in', ids).execute();
  return new Map(
    rows.map((row) => [
      row.container_id,
      { name: row.name, containerType: CONTAINER_TYPES[row.container_type] },
    ]),
  );
}
