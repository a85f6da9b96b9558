import {
  createFolder,
  containerOf,
  startProject,
  uploadFolderOf,
} from '#features/documents/folders/folders.server.ts';
import { CONTAINER_TYPES, UPLOAD_FOLDERS, type NewProject } from '#features/documents/folders/folders.ts';
import { nameKey } from '#features/documents/folders/names.server.ts';
import { permissionsIn } from '#features/documents/folders/permissions.server.ts';
import { containersOf, type ContainerRow } from '#features/documents/folders/scope.server.ts';
import { isUploadFolder } from '#features/documents/documents/folder-rights.server.ts';
import { pathsOf } from '#features/documents/folder-templates/folder-templates.ts';
import { applyTemplate, listTemplates } from '#features/documents/folder-templates/templates.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';

/** The folder of a client that gets the files: the firm's, one that is there, a new one, or one of a template. */
export type Place =
  | { kind: 'firm' }
  | { kind: 'existing'; containerId: string }
  | { kind: 'new'; name: string; productType?: NewProject['productType']; year: number }
  | { kind: 'template'; templateId: string; index: number; year: number };

/**
 * The container of a place, created if it is new, in the open transaction; null for the firm's folder. NOT_FOUND for
 * one of someone else, FORBIDDEN where the actor may not add, and what {@link createFolder} refuses.
 */
export async function containerIdFor(actor: Actor, clientId: string, place: Place): Promise<string | null> {
  switch (place.kind) {
    case 'firm':
      return null;
    case 'existing':
      return (await chosenFolder(actor, clientId, place.containerId)).container_id;
    case 'new': {
      const { name, productType, year } = place;
      const folder = productType
        ? await startProject(actor, { clientId, name, productType, processingYear: year })
        : await createFolder(actor, { name, parentId: clientId, parentType: 'Client' });
      return folder.id;
    }
    case 'template': {
      const { templateId, index, year } = place;
      const template = (await listTemplates(actor)).find(({ id }) => id === templateId);
      const paths = pathsOf(template?.folders ?? '', year);
      const path = 'line' in paths ? undefined : paths[index];
      if (!path) throw notFound();
      await applyTemplate(actor, { templateId, clientId, year });
      return (await folderAt(actor, clientId, path)).container_id;
    }
  }
}

/** A folder of the client in which the actor may publish. */
export async function chosenFolder(
  actor: Actor,
  clientId: string,
  containerId: string,
): Promise<ContainerRow> {
  const row = await containersOf(actor)
    .where('containers.container_id', '=', containerId)
    .where('containers.client_id', '=', clientId)
    .executeTakeFirst();
  if (!row) throw notFound();
  if (!(await permissionsIn(actor, row)).addContents) throw new PortalError('FORBIDDEN');
  return row;
}

/** Finds a client's folder by its path, created where it is missing; without a path, the firm's. */
export async function folderAt(
  actor: Actor,
  clientId: string,
  path: readonly string[],
): Promise<ContainerRow> {
  if (path.length === 0) {
    const { id, containerType } = await uploadFolderOf(actor, clientId, 'firm');
    return containerOf(actor, containerType, id);
  }
  let place = await containerOf(actor, 'Client', clientId);
  for (const name of path) {
    const found = await containersOf(actor)
      .where('containers.parent_id', '=', place.container_id)
      .where('containers.name_key', '=', nameKey(name))
      .executeTakeFirst();
    if (found && isUploadFolder(found) && found.product_type === UPLOAD_FOLDERS.uploads)
      throw new PortalError('NAME_CONFLICT', { name });
    if (found) place = found;
    else {
      const { id } = await createFolder(actor, {
        name,
        parentId: place.container_id,
        parentType: CONTAINER_TYPES[place.container_type],
      });
      place = await containerOf(actor, 'Folder', id);
    }
  }
  return place;
}
