import { http } from '#platform/http/http.ts';
import { placeAddress, placeIn } from '#features/documents/folders/addresses.ts';
import { answerIn, codeOf } from '../refusals.ts';
import type { Container, UploadFolder } from '#features/documents/folders/folders.ts';

/** A file of a chosen folder, with the names of its ancestors, the outermost first. */
export interface Found {
  file: File;
  folders: string[];
}

/** The target of a folder's files, or why there is none. */
export type Target = { endpoint: string } | { code: string };

type Place = ReturnType<typeof placeIn>;

/** The same as `UPLOAD_FOLDERS` of the contract, whose import would include zod. */
const PRODUCT_TYPES: Record<UploadFolder, string> = { uploads: 'ClientContactFolder', firm: 'FirmFolder' };

/** Files that systems create in every folder; nobody means to upload them. */
const LEAVINGS = /^(\..*|thumbs\.db|desktop\.ini)$/i;

export const chosenIn = (files: readonly File[]): Found[] =>
  files.map((file) => ({ file, folders: file.webkitRelativePath.split('/').slice(0, -1) })).filter(isMeant);

/** Lists every file in what was dropped, at any depth. */
export async function droppedIn(
  entries: readonly FileSystemEntry[],
  folders: string[] = [],
): Promise<Found[]> {
  const found: Found[] = [];
  for (const entry of entries) {
    if (entry instanceof FileSystemFileEntry)
      found.push({
        file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)),
        folders,
      });
    if (entry instanceof FileSystemDirectoryEntry)
      found.push(...(await droppedIn(await entriesOf(entry), [...folders, entry.name])));
  }
  return found.filter(isMeant);
}

const isMeant = ({ file, folders }: Found): boolean =>
  ![file.name, ...folders].some((name) => LEAVINGS.test(name));

/** Browsers return a hundred entries at a time. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}

/**
 * Creates the folders of these files below `endpoint`, parents first, reusing existing ones; returns the
 * target of each file, in their order.
 */
export async function targetsFor(found: readonly Found[], endpoint: string): Promise<Target[]> {
  const made = new Map<string, Promise<Place | { code: string }>>([['', Promise.resolve(placeIn(endpoint))]]);
  const placeOf = (folders: readonly string[]): Promise<Place | { code: string }> => {
    const key = folders.join('/');
    const known =
      made.get(key) ??
      placeOf(folders.slice(0, -1)).then((parent) =>
        'code' in parent ? parent : folderIn(parent, folders.at(-1) ?? ''),
      );
    made.set(key, known);
    return known;
  };
  const targets: Target[] = [];
  for (const { folders } of found) {
    const place = await placeOf(folders);
    targets.push(
      'code' in place
        ? place
        : {
            endpoint: folders.length === 0 ? endpoint : placeAddress(place.containerType, place.containerId),
          },
    );
  }
  return targets;
}

async function folderIn(parent: Place, name: string): Promise<Place | { code: string }> {
  try {
    const answer = await http.post('/api/storage/v1/folders', {
      json: { name, parentId: parent.containerId, parentType: parent.containerType, into: parent.into },
      retry: 0,
      throwHttpErrors: false,
    });
    const { data, errors } = answerIn<Container>(await answer.text());
    if (data) return { containerType: data.containerType, containerId: data.id };
    const code = codeOf(answer.status, errors?.[0]);
    const there = code === 'NAME_CONFLICT' ? await childNamed(parent, name) : undefined;
    return there ?? { code: code === 'FORBIDDEN' ? 'FOLDER' : code };
  } catch {
    return { code: 'CONNECTION' };
  }
}

const sameName = (one: string, other: string): boolean =>
  one.normalize('NFKC').toLowerCase() === other.normalize('NFKC').toLowerCase();

async function childNamed(
  { containerType, containerId, into }: Place,
  name: string,
): Promise<Place | undefined> {
  const list = async (address: string): Promise<Container[]> =>
    (await http.get(address).json<{ data: Container[] }>()).data;
  const [home] = into
    ? await list(
        `/api/storage/v1/projects?primaryAssociationId=${containerId}&productType=${PRODUCT_TYPES[into]}`,
      )
    : [{ id: containerId, containerType }];
  if (!home) return undefined;
  const below = await list(placeAddress(home.containerType, home.id).replace(/documents$/, 'descendants'));
  const child = below.find((one) => one.parentId === home.id && sameName(one.name, name));
  return child && { containerType: child.containerType, containerId: child.id };
}
