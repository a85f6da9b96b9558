import type { Actor } from '#features/base/people/people.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { CONTAINER_TYPES, type Container } from '../folders.ts';
import { permissionsOnContainer } from '../permissions.server.ts';
import { itemPermissionsIn, type ItemPermissions } from '../roles.server.ts';
import { listedContainersOf, type ContainerRow, type ListedContainerRow } from '../scope.server.ts';

const NO_YEAR = 1900;

/** A container alone, as returned when it was created or used. */
export async function present(actor: Actor, row: ContainerRow): Promise<Container> {
  const [listed] = await listedContainersOf(actor)
    .where('containers.container_id', '=', row.container_id)
    .execute();
  if (!listed) throw notFound();
  const itemPermissions = await itemPermissionsIn(actor, { containerIds: [row.container_id] });
  return presentContainer(actor, listed, itemPermissions(row.container_id));
}

export function presentContainer(
  actor: Actor,
  row: ListedContainerRow,
  itemPermissions: ItemPermissions,
): Container {
  const shownCount = Number(row.shown_count);
  const [by, hasFolders, hasFiles] = [row.created_by_name ?? '', Boolean(row.has_folders), shownCount > 0];
  return {
    id: row.container_id,
    name: row.name,
    containerType: CONTAINER_TYPES[row.container_type],
    parentId: row.parent_id,
    clientId: row.client_id,
    documentCount: shownCount,
    hasChildren: hasFolders || hasFiles,
    hasFolders,
    hasFiles,
    isShared: true,
    productType: row.product_type,
    processingYear: row.processing_year === NO_YEAR ? null : row.processing_year,
    permissions: permissionsOnContainer(actor, row, itemPermissions),
    history: {
      createdBy: by,
      createdDate: new Date(row.created_at).toISOString(),
      modifiedBy: by,
      modifiedDate: new Date(row.modified_at).toISOString(),
    },
  };
}
