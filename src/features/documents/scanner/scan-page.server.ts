import type { Actor, Session } from '#features/base/people/people.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { placeAddress } from '#features/documents/folders/addresses.ts';
import { scanAddress } from './addresses.ts';
import { findDefaultFolder } from '#features/documents/folders/folders.server.ts';
import { UPLOAD_FOLDERS } from '#features/documents/folders/folders.ts';
import { firmFolderTitle, folderTitle } from '#features/documents/folders/titles.server.ts';
import { mayScan } from './rules.ts';
import { containerTree } from '#features/documents/folders/tree.server.ts';

/** Whether the documents page offers to scan, to somebody who may add where documents go. */
export const offersScan = ({ actor }: Session, mayAdd: boolean): boolean => mayScan(actor) && mayAdd;

/**
 * Where a scan goes: the addresses for the finished document and for photos, and the folder. Without one it
 * is that of the contact's own uploads, for staff that of the firm, which the first of them makes. NOT_FOUND
 * for what is not the client's, FORBIDDEN where the actor may not add or not scan.
 */
export async function scanPlaceOf(
  actor: Actor,
  lang: Lang,
  clientId: string,
  folderId: string | undefined,
): Promise<{ documents: string; scans: string; folderName: string }> {
  const into = actor.staff ? 'firm' : 'uploads';
  if (!mayScan(actor)) throw new PortalError('FORBIDDEN');
  const tree =
    folderId === undefined
      ? []
      : await containerTree(actor, {
          clientId,
          includeOrphans: true,
          countDocuments: false,
          calculateLocks: false,
        });
  const folder =
    folderId === undefined
      ? await findDefaultFolder(actor, clientId, into)
      : tree.find(({ id }) => id === folderId);
  if (folderId !== undefined && !folder) throw notFound();
  if (folder && !folder.permissions.addContents) throw new PortalError('FORBIDDEN');
  const own = () =>
    actor.staff
      ? firmFolderTitle(lang, actor)
      : folderTitle(lang, false, { name: '', productType: UPLOAD_FOLDERS.uploads });
  const folderName = folder ? folderTitle(lang, actor.staff, folder) : await own();
  const [type, id, query] = folder
    ? [folder.containerType, folder.id, '']
    : (['Client', clientId, `?into=${into}`] as const);
  return { documents: placeAddress(type, id) + query, scans: scanAddress(type, id) + query, folderName };
}
