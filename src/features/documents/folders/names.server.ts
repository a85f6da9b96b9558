import type { Actor } from '#features/base/people/people.ts';
import { db, fold } from '#platform/database/database.server.ts';
import type { NamesOf } from '#platform/runtime/names.server.ts';
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

/** The names of folders for those who may know them already, such as readers of the audit log. */
export const currentContainerNames: NamesOf = (ids) =>
  db()
    .selectFrom('containers')
    .select(['container_id as id', 'name'])
    .where('container_id', 'in', ids)
    .execute();
