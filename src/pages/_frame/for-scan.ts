import { containerTree, findDefaultFolder, mayScan, placeAddress, scanAddress } from '#features/documents/documents.server.ts';
import type { Container } from '#features/documents/documents.ts';
import type { Actor, Session } from '#features/people/people.ts';
import { notFound, PortalError } from '#platform/errors.server.ts';

/** Whether the documents page offers to scan into this folder; without one it is that of the contact's own uploads, which the first of them makes. */
export const offersScan = ({ actor, viewing }: Session, folder: Container | undefined): boolean => mayScan(actor) && !viewing && (folder?.permissions.addContents ?? true);

/** Where a scan goes: the addresses for the finished document and for photos, and the folder. NOT_FOUND for what is not the client's, FORBIDDEN where the actor may not add or not scan. */
export async function scanPlaceOf(actor: Actor, clientId: string, folderId: string | undefined): Promise<{ documents: string; scans: string; folder: Container | undefined }> {
  if (!mayScan(actor)) throw new PortalError('FORBIDDEN');
  const tree = folderId === undefined ? [] : await containerTree(actor, { clientId, includeOrphans: true, countDocuments: false, calculateLocks: false });
  const folder = folderId === undefined ? await findDefaultFolder(actor, clientId) : tree.find(({ id }) => id === folderId);
  if (folderId !== undefined && !folder) throw notFound();
  if (folder && !folder.permissions.addContents) throw new PortalError('FORBIDDEN');
  const [type, id, query] = folder ? [folder.containerType, folder.id, ''] : (['Client', clientId, '?into=uploads'] as const);
  return { documents: placeAddress(type, id) + query, scans: scanAddress(type, id) + query, folder };
}
