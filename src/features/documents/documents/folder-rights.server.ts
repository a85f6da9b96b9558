import { sql } from 'kysely';
import { UPLOAD_FOLDERS } from '#features/documents/folders/folders.ts';
import { permissionsOn, permissionsOnContainer } from '#features/documents/folders/permissions.server.ts';
import { itemPermissionsIn } from '#features/documents/folders/roles.server.ts';
import { containersOf, type ContainerRow } from '#features/documents/folders/scope.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { documentsOf } from './scope.server.ts';

/** A container and all below it, parents before children. */
export async function subtreeOf(actor: Actor, top: ContainerRow): Promise<ContainerRow[]> {
  const rows = await containersOf(actor).where('containers.client_id', '=', top.client_id).execute();
  const children = Map.groupBy(rows, (row) => row.parent_id);
  const found = [top];
  for (const row of found) found.push(...(children.get(row.container_id) ?? []));
  return found;
}

/** Tells whether a container is one in which uploads are filed without asking: it is neither changed nor deleted. */
export const isUploadFolder = ({ product_type: type }: Pick<ContainerRow, 'product_type'>): boolean =>
  Object.values<string | null>(UPLOAD_FOLDERS).includes(type);

/**
 * Returns why the actor may not rename, move or delete a container with everything in it: it is locked, or something
 * of it, or they lack a right there. People change their own folders, Owners all, and only staff the projects.
 */
export async function folderDenialReason(
  actor: Actor,
  top: ContainerRow,
): Promise<'LOCKED' | 'FORBIDDEN' | undefined> {
  if (top.container_type === 'client' || isUploadFolder(top)) return 'FORBIDDEN';
  if (!actor.staff && top.container_type === 'project') return 'FORBIDDEN';
  const all = await subtreeOf(actor, top);
  const itemPermissions = await itemPermissionsIn(actor, { clientId: top.client_id });
  const documents = await documentsOf(actor)
    .where(
      'documents.container_id',
      'in',
      all.map((row) => row.container_id),
    )
    .clearSelect()
    .select((e) => [
      'documents.container_id',
      'documents.created_by',
      sql<number>`case when ${e.exists(
        e
          .selectFrom('item_locks')
          .select('item_locks.level')
          .whereRef('item_locks.item_id', '=', 'documents.document_id')
          .where('item_locks.kind', '=', 'Read')
          .where('item_locks.level', '=', 'Master'),
      )} then 1 else 0 end`.as('is_locked'),
    ])
    .execute();
  let isLocked = false;
  for (const row of all) {
    const given = itemPermissions(row.container_id);
    isLocked ||= given.isLocked;
    if (!permissionsOnContainer(actor, row, { ...given, isLocked: false }).delete) return 'FORBIDDEN';
  }
  for (const row of documents) {
    const { role } = itemPermissions(row.container_id);
    isLocked ||= row.is_locked === 1;
    if (!permissionsOn(actor, row.created_by, { of: 'document', role, isLocked: false }).delete)
      return 'FORBIDDEN';
  }
  return isLocked ? 'LOCKED' : undefined;
}
