import { bytesOf } from '#features/documents/documents/bytes.server.ts';
import { subtreeOf } from '#features/documents/documents/folder-rights.server.ts';
import { documentsOf } from '#features/documents/documents/scope.server.ts';
import { createFolder, containerOf } from '#features/documents/folders/folders.server.ts';
import { CONTAINER_TYPES } from '#features/documents/folders/folders.ts';
import { reserveAsOriginal } from '#features/documents/documents/adding.server.ts';
import { containersOf, type ContainerRow } from '#features/documents/folders/scope.server.ts';
import { permissionsIn } from '#features/documents/folders/permissions.server.ts';
import { actorNow, assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { uploadDocument } from '#features/documents/uploads/uploads.server.ts';
import { announceUploads } from '#features/documents/uploads/notifications.server.ts';
import { noteStored, reserveQuota } from '#features/documents/uploads/quota.server.ts';
import { removeBlob, type StoredBlob } from '#platform/storage/blobs.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { REASONS, type ChosenItems, type Filed } from './filing.ts';
import {
  auditCopy,
  insertCopies,
  MAX_TOGETHER,
  startFolderCopy,
  storeCopies,
} from './folder-copies.server.ts';
import { uploadTreeOf } from './moving.server.ts';
import { freeFolderName } from './renaming.server.ts';

/** The maximum number of documents of one copied folder. */
const MAX_IN_FOLDER = 1000;
const MAX_BYTES_IN_FOLDER = 20_000_000_000;

/**
 * Copies documents and folders to a container, also of another client, and returns the result for each. A copy is a
 * new document: it has its own bytes and key, confirmation and audit entry, and is unread; contacts of another client
 * are notified. A name that is taken gets the next free one. FORBIDDEN without the right to add there.
 */
export async function copyItems(actor: Actor, input: ChosenItems): Promise<Filed[]> {
  const target = await containerOf(actor, input.containerType, input.containerId);
  const inUploads = await uploadTreeOf(actor, target.client_id);
  if (!(await permissionsIn(actor, target)).addContents) throw new PortalError('FORBIDDEN');
  if (actor.staff && inUploads(target.container_id)) throw new PortalError('FORBIDDEN');
  const filed: Filed[] = [];
  for (const id of new Set(input.documentIds))
    filed.push(await orReason(id, () => copyDocument(actor, id, target)));
  for (const id of new Set(input.folderIds))
    filed.push(await orReason(id, () => copyFolder(actor, id, target)));
  return filed;
}

async function orReason(id: string, work: () => Promise<Filed>): Promise<Filed> {
  try {
    return await work();
  } catch (error) {
    const result = REASONS.find((reason) => reason === refusal(error)?.code);
    if (!result) throw error;
    return { id, result };
  }
}

async function copyDocument(actor: Actor, id: string, target: ContainerRow): Promise<Filed> {
  const [source] = await bytesOf(actor, [id]);
  if (!source) throw notFound();
  const copy = await uploadDocument(actor, {
    containerType: CONTAINER_TYPES[target.container_type],
    containerId: target.container_id,
    name: source.name,
    onConflict: 'rename',
    bytes: source.open(),
    announced: source.size,
    notify: source.clientId !== target.client_id,
    alongWith: async (documentId) => {
      await assertActsFor(actor, source.clientId); // the right to read it may be gone meanwhile
      await reserveAsOriginal(documentId, id);
      await auditCopy(actor, documentId, { place: target, digest: source.sha256 });
    },
  });
  return {
    id,
    newId: copy.id,
    name: copy.name,
    ...(copy.name !== source.name && { formerName: source.name }),
    result: 'COPIED',
  };
}

/**
 * Copies a folder with its folders and documents. One with few documents is copied at once, all or nothing: the bytes
 * first, which belong to no one until one transaction adds everything; what an interruption leaves is swept like an
 * aborted upload. The documents of a larger one are copied by a job.
 */
async function copyFolder(actor: Actor, id: string, target: ContainerRow): Promise<Filed> {
  const { row, sources, documents } = await folderToCopy(actor, id);
  const contents = await bytesOf(actor, documents);
  const size = contents.reduce((sum, each) => sum + each.size, 0);
  if (size > MAX_BYTES_IN_FOLDER) throw new PortalError('TOO_MANY');
  const release = await reserveQuota(actor.companyId, size);
  const blobs = new Map<string, StoredBlob>();
  const total = contents.length;
  try {
    if (total > MAX_TOGETHER)
      return await inTransaction(() => startCopying(actor, { row, sources, target, total }));
    await storeCopies(id, contents, blobs);
    const copied = await inTransaction(() => copyAll(actor, { row, sources, blobs, target }));
    noteStored(actor.companyId, size);
    return copied;
  } catch (error) {
    for (const { key } of blobs.values()) await removeBlob(key);
    throw error;
  } finally {
    release();
  }
}

/** The folder, the folders in it, and the ids of all documents in them. */
async function folderToCopy(actor: Actor, id: string) {
  const row = await containersOf(actor).where('containers.container_id', '=', id).executeTakeFirst();
  if (!row) throw notFound();
  if (row.container_type === 'client') throw new PortalError('FORBIDDEN');
  const sources = await subtreeOf(actor, row);
  const rows = await documentsOf(actor)
    .where(
      'documents.container_id',
      'in',
      sources.map((each) => each.container_id),
    )
    .limit(MAX_IN_FOLDER + 1)
    .execute();
  if (rows.length > MAX_IN_FOLDER) throw new PortalError('TOO_MANY');
  return { row, sources, documents: rows.map((each) => each.document_id) };
}

interface Copying {
  row: ContainerRow;
  sources: readonly ContainerRow[];
  target: ContainerRow;
}

/** Adds the folders and documents in the open transaction, after checking all rights again. */
async function copyAll(
  caller: Actor,
  { blobs, ...copying }: Copying & { blobs: ReadonlyMap<string, StoredBlob> },
): Promise<Filed> {
  const actor = await actorNow(caller);
  const { places, ...filed } = await copyTree(actor, copying);
  const added = await insertCopies(actor, blobs, places);
  const { row, target } = copying;
  if (row.client_id !== target.client_id) await announceUploads(actor, filed.newId, added);
  return { ...filed, result: 'COPIED' };
}

/** Adds the folders in the open transaction, and begins to copy their documents. */
async function startCopying(
  caller: Actor,
  { total, ...copying }: Copying & { total: number },
): Promise<Filed> {
  const actor = await actorNow(caller);
  const { places, ...filed } = await copyTree(actor, copying);
  const folders = [...places].map(([from, { container_id: to }]): [string, string] => [from, to]);
  await startFolderCopy(actor, { folderId: copying.row.container_id, newId: filed.newId, folders, total });
  return { ...filed, result: 'STARTED' };
}

/** Adds a copy of each folder, without documents; `places` are the copies by the folders that they are of. */
async function copyTree(actor: Actor, { row, sources, target }: Copying) {
  await assertActsFor(actor, row.client_id); // the right to read it may be gone meanwhile
  const name = await freeFolderName(actor, target.container_id, row.name);
  const places = new Map<string, ContainerRow>();
  for (const source of sources) {
    const parent = source === row ? target : places.get(source.parent_id ?? '');
    if (!parent) continue; // its parent was not visible
    const { id } = await createFolder(actor, {
      name: source === row ? name : source.name,
      parentId: parent.container_id,
      parentType: CONTAINER_TYPES[parent.container_type],
    });
    places.set(source.container_id, await containerOf(actor, 'Folder', id));
  }
  return {
    places,
    id: row.container_id,
    newId: places.get(row.container_id)?.container_id ?? '',
    name,
    ...(name !== row.name && { formerName: row.name }),
  };
}
