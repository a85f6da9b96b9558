import type { Actor } from '#features/people/people.ts';
import { UPLOAD_FOLDERS } from './folders.ts';
import { itemPermissionsIn, type ItemPermissions } from './roles.server.ts';
import type { ContainerRow } from './scope.server.ts';

/**
 * What the actor may do with an item that they may see; the one place that decides it (spec 1 section 6). An
 * Owner has every right, a Contributor those of a container, and under the rules of the preview viewer only
 * on what they made. A document is changed by an Owner and by who handed it in. Deleted is what is one's own,
 * by an Owner anything; what is frozen is neither changed nor deleted.
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
 * The same for a container; every contact of a client may add to the folder of their uploads, whoever made
 * it.
 */
export const permissionsOnContainer = (actor: Actor, row: ContainerRow, standing: ItemPermissions) =>
  permissionsOn(actor, row.created_by, {
    of: 'container',
    ...standing,
    takesUploads: row.product_type === UPLOAD_FOLDERS.uploads,
  });

export async function permissionsIn(actor: Actor, row: ContainerRow) {
  const standing = await itemPermissionsIn(actor, { containerIds: [row.container_id] });
  return permissionsOnContainer(actor, row, standing(row.container_id));
}
