import { buffer } from 'node:stream/consumers';
import { mimeTypeOf } from '#features/documents/documents/adding.server.ts';
import { documentById } from '#features/documents/documents/documents.server.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import { assertContentAgrees } from '#features/documents/documents/file-types.server.ts';
import { folderDenialReason } from '#features/documents/documents/folder-rights.server.ts';
import { namesTaken, nextFreeName } from '#features/documents/documents/free-names.server.ts';
import { documentsNamed } from '#features/documents/documents/scope.server.ts';
import { containerById, containerOf, lockTree } from '#features/documents/folders/folders.server.ts';
import { CONTAINER_TYPES, type Container, type ContainerType } from '#features/documents/folders/folders.ts';
import { nameKey } from '#features/documents/folders/names.server.ts';
import { permissionsOn } from '#features/documents/folders/permissions.server.ts';
import { itemPermissionsOf } from '#features/documents/folders/roles.server.ts';
import { extensionOf, freeName, nameIsAcceptable } from '#features/documents/folders/rules.ts';
import { containersOf, type ContainerRow } from '#features/documents/folders/scope.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { HEAD_BYTES, readBlob } from '#platform/storage/blobs.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction, isUniqueViolation } from '#platform/database/database.server.ts';
import { readLine } from '#platform/inputs/text.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import type { NewName } from './filing.ts';

/**
 * Renames a document. Its extension stays, unless staff change it with `changeExtension` to one that fits the content.
 * LOCKED, FORBIDDEN for those who are neither its uploader nor an Owner there, BAD_NAME, TYPE_NOT_ALLOWED,
 * NAME_CONFLICT (`suggestion`).
 */
export async function renameDocument(actor: Actor, documentId: string, input: NewName): Promise<Document> {
  const [row] = await documentsNamed(actor, [documentId]);
  if (!row) throw notFound();
  const itemPermissions = (await itemPermissionsOf(actor, [row]))(row);
  const may = (isLocked: boolean) =>
    permissionsOn(actor, row.created_by, { of: 'document', ...itemPermissions, isLocked }).update;
  if (!may(itemPermissions.isLocked)) throw new PortalError(may(false) ? 'LOCKED' : 'FORBIDDEN');
  const name = nameWithExtension(row.name, input, actor.staff);
  const mime = mimeTypeOf(name);
  const extension = extensionOf(name);
  if (extension !== extensionOf(row.name)) assertContentAgrees(extension, await headOf(row.blob_key));
  if (name === row.name) return documentById(actor, documentId);
  const place = await containerOf(actor, CONTAINER_TYPES[row.container_type], row.container_id);
  if (nameKey(name) !== row.name_key && (await namesTaken(place.container_id, [nameKey(name)])).size > 0)
    throw await documentNameConflict(place, name);
  try {
    return await inTransaction(async () => {
      const renamed = await db()
        .updateTable('documents')
        .set({ name, name_key: nameKey(name), mime_type: mime, modified_at: now() })
        .where('document_id', '=', documentId)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      if (renamed.numUpdatedRows === 0n) throw notFound();
      await audit({
        companyId: row.company_id,
        actor: actor.contactId,
        action: 'document.rename',
        target: documentId,
        clientId: row.client_id,
      });
      return documentById(actor, documentId);
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw await documentNameConflict(place, name);
    throw error;
  }
}

function nameWithExtension(current: string, { name, changeExtension }: NewName, isStaff: boolean): string {
  const composed = readLine(name);
  const extension = current.slice(current.length - extensionOf(current).length);
  const isKept = extensionOf(composed) === extension.toLowerCase();
  return isKept || (changeExtension && isStaff) ? composed : composed + extension;
}

const headOf = (blobKey: string): Promise<Buffer> =>
  buffer(readBlob(blobKey, { start: 0, end: HEAD_BYTES - 1 }));

const documentNameConflict = async (place: ContainerRow, name: string): Promise<PortalError> =>
  new PortalError('NAME_CONFLICT', { name, suggestion: await nextFreeName(place, name) });

/**
 * Renames a folder or, for staff, a project. LOCKED, FORBIDDEN, BAD_NAME, NAME_CONFLICT (`suggestion`).
 */
export async function renameFolder(
  actor: Actor,
  type: ContainerType,
  containerId: string,
  newName: string,
): Promise<Container> {
  const name = readLine(newName);
  if (!nameIsAcceptable(name)) throw new PortalError('BAD_NAME', { name });
  try {
    return await inTransaction(async () => {
      const before = await containerOf(actor, type, containerId);
      await lockTree(before.client_id);
      const row = await containerOf(actor, type, containerId);
      const reason = await folderDenialReason(actor, row);
      if (reason) throw new PortalError(reason);
      const free = await freeFolderName(actor, row.parent_id, name, containerId);
      if (free !== name) throw new PortalError('NAME_CONFLICT', { name, suggestion: free });
      await db()
        .updateTable('containers')
        .set({ name, name_key: nameKey(name), modified_at: now() })
        .where('container_id', '=', containerId)
        .execute();
      await audit({
        companyId: row.company_id,
        actor: actor.contactId,
        action: 'folder.rename',
        target: containerId,
        clientId: row.client_id,
      });
      return containerById(actor, containerId);
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new PortalError('NAME_CONFLICT', { name });
    throw error;
  }
}

/** Returns the name, or with the first number that is free beside the folders of a parent; `except` is not counted. */
export async function freeFolderName(
  actor: Actor,
  parentId: string | null,
  name: string,
  except?: string,
): Promise<string> {
  const siblings = await containersOf(actor).where('parent_id', '=', parentId).execute();
  const taken = new Set(siblings.filter((row) => row.container_id !== except).map((row) => row.name_key));
  return freeName(name, (candidate) => taken.has(nameKey(candidate)));
}
