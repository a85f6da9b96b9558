import { isReadOnly, type Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { UPLOAD_FOLDERS } from './folders.ts';
import { itemPermissionsIn, type ItemPermissions } from './roles.server.ts';
import type { ContainerRow } from './scope.server.ts';

/**
 * Returns the actor's permissions on an item that they may see; the only place that decides them (spec 1
 * section 6). An Owner has every permission, a Contributor those on a container, and under the rules of the
 * preview viewer only on what they created. A document is changed by an Owner and its uploader. People delete
 * their own items, and Owners any; locked items are neither changed nor deleted, and staff who may not publish
 * only read.
 */
export const permissionsOn = (
  actor: Actor,
  createdBy: string | undefined,
  {
    of,
    role,
    isLocked,
    takesUploads = false,
  }: ItemPermissions & { of: 'container' | 'document'; takesUploads?: boolean },
) => {
  if (isReadOnly(actor)) return { addContents: false, read: true, update: false, delete: false };
  const own = role === 'Owner' || createdBy === actor.contactId;
  const rights = own || (of === 'container' && !actor.access.permissions.has('ShowPreviewB4CCViewer'));
  return {
    addContents: of === 'container' && (rights || takesUploads),
    read: true,
    update: rights && !isLocked,
    delete: own && !isLocked,
  };
};

/**
 * Returns the permissions on a container; every contact of a client may add to its upload folder, whoever
 * created it.
 */
export const permissionsOnContainer = (actor: Actor, row: ContainerRow, itemPermissions: ItemPermissions) =>
  permissionsOn(actor, row.created_by, {
    of: 'container',
    ...itemPermissions,
    takesUploads: row.product_type === UPLOAD_FOLDERS.uploads,
  });

/** The permissions on one container; nothing is added to an archived client, which only staff see. */
export async function permissionsIn(actor: Actor, row: ContainerRow) {
  const itemPermissions = await itemPermissionsIn(actor, { containerIds: [row.container_id] });
  const permissions = permissionsOnContainer(actor, row, itemPermissions(row.container_id));
  if (!actor.staff || !permissions.addContents) return permissions;
  const archived = await db()
    .selectFrom('clients')
    .select('client_id')
    .where('client_id', '=', row.client_id)
    .where('archived_at', 'is not', null)
    .executeTakeFirst();
  return { ...permissions, addContents: archived === undefined };
}
