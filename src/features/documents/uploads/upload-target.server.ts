import type { Actor } from '#features/base/people/people.ts';
import type { Lang } from '#platform/text/languages.ts';
import { placeAddress, uploadsAddress } from '#features/documents/folders/addresses.ts';
import { UPLOAD_FOLDERS, type Container } from '#features/documents/folders/folders.ts';
import { firmFolderTitle, folderTitle } from '#features/documents/folders/titles.server.ts';
import { breadcrumbsTo } from '#features/documents/folders/tree.ts';
import { lastFolderOf, offeredFolders } from './publishing.server.ts';

/** A folder that staff may choose to publish in; `value` names it in the plain form. */
interface UploadPlace {
  value: string;
  endpoint: string;
  name: string;
  isChosen: boolean;
}

/**
 * Where the uploads of the documents page go. With `places` one of them is chosen; `endpoint` takes the plain
 * form, which says which.
 */
interface UploadTarget {
  endpoint: string;
  folderName: string;
  mayAdd: boolean;
  places?: UploadPlace[] | undefined;
}

/**
 * Where uploads go: into the open folder; without one, a contact's into the folder of their uploads, which
 * the first of them makes. Staff are asked for the folder then, and where the open one is that of the
 * client's own uploads.
 */
export async function targetOf(
  actor: Actor,
  lang: Lang,
  clientId: string,
  containers: readonly Container[],
  folder: Container | undefined,
): Promise<UploadTarget> {
  if (!actor.staff)
    return intoFolder(
      lang,
      actor,
      clientId,
      folder ?? containers.find(({ productType }) => productType === UPLOAD_FOLDERS.uploads),
    );
  const offered = offeredFolders(containers);
  if (folder && offered.includes(folder)) return intoFolder(lang, actor, clientId, folder);
  const last = await lastFolderOf(actor, clientId);
  const endpoint = placeAddress('Client', clientId);
  return {
    endpoint,
    folderName: '',
    mayAdd: true,
    places: await placesOf(actor, lang, clientId, containers, { offered, last }),
  };
}

function intoFolder(lang: Lang, actor: Actor, clientId: string, folder: Container | undefined): UploadTarget {
  const shown = folder ?? { name: '', productType: UPLOAD_FOLDERS.uploads };
  return {
    endpoint: folder ? placeAddress(folder.containerType, folder.id) : uploadsAddress(clientId, 'uploads'),
    folderName: folderTitle(lang, actor.staff, shown),
    mayAdd: folder?.permissions.addContents ?? true,
  };
}

/**
 * The folder of the firm first, made when it is used, then those that are there; chosen is the one used last,
 * else the firm's.
 */
async function placesOf(
  actor: Actor,
  lang: Lang,
  clientId: string,
  containers: readonly Container[],
  { offered, last }: { offered: readonly Container[]; last: string | undefined },
): Promise<UploadPlace[]> {
  const firms = offered.find(({ productType }) => productType === UPLOAD_FOLDERS.firm);
  const others = offered.filter((folder) => folder !== firms);
  const pathOf = (folder: Container): string =>
    breadcrumbsTo(containers, folder.id)
      .map((each) => folderTitle(lang, true, each))
      .join(' / ');
  return [
    {
      value: 'firm',
      endpoint: firms ? placeAddress(firms.containerType, firms.id) : uploadsAddress(clientId, 'firm'),
      name: firms ? pathOf(firms) : await firmFolderTitle(lang, actor),
      isChosen: !others.some(({ id }) => id === last),
    },
    ...others.map((folder) => ({
      value: folder.id,
      endpoint: placeAddress(folder.containerType, folder.id),
      name: pathOf(folder),
      isChosen: folder.id === last,
    })),
  ];
}
