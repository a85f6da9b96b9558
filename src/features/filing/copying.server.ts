import { insertDocument } from '#features/documents/adding.server.ts';
import { bytesOf } from '#features/documents/bytes.server.ts';
import { subtreeOf } from '#features/documents/folder-rights.server.ts';
import { MAX_BYTES } from '#features/documents/rules.ts';
import { documentsNamed, documentsOf } from '#features/documents/scope.server.ts';
import { createFolder, containerOf } from '#features/folders/folders.server.ts';
import { CONTAINER_TYPES } from '#features/folders/folders.ts';
import { containersOf, type ContainerRow } from '#features/folders/scope.server.ts';
import { permissionsIn } from '#features/folders/permissions.server.ts';
import { actorNow, assertActsFor } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { uploadDocument } from '#features/uploads/uploads.server.ts';
import { announceUploads } from '#features/uploads/notifications.server.ts';
import { countUpload, noteStored, reserveQuota } from '#features/uploads/quota.server.ts';
import { audit } from '#platform/audit.server.ts';
import { commitBlob, putBlob, removeBlob, type StoredBlob } from '#platform/blobs.server.ts';
import { inTransaction } from '#platform/database.server.ts';
import { notFound, PortalError, refusal } from '#platform/errors.server.ts';
import { REASONS, type ChosenItems, type Filed } from './filing.ts';
import { uploadTreeOf } from './moving.server.ts';
import { freeFolderName } from './renaming.server.ts';

/** The maximum number of documents of one copied folder. */
const MAX_IN_FOLDER = 1000;
/** Its bytes must be copied before uncommitted ones are swept, within an hour. */
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
  const release = await reserveQuota(actor.companyId, source.size);
  try {
    const copy = await uploadDocument(actor, {
      containerType: CONTAINER_TYPES[target.container_type],
      containerId: target.container_id,
      name: source.name,
      onConflict: 'rename',
      bytes: source.open(),
      notify: source.clientId !== target.client_id,
      alongWith: async (documentId) => {
        await assertActsFor(actor, source.clientId); // the right to read it may be gone meanwhile
        await auditCopy(actor, documentId, target, source.sha256);
      },
    });
    return {
      id,
      newId: copy.id,
      name: copy.name,
      ...(copy.name !== source.name && { formerName: source.name }),
      result: 'COPIED',
    };
  } finally {
    release();
  }
}

/**
 * Copies a folder with its folders and documents, all or nothing: the bytes first, which belong to nobody until one
 * transaction adds the folders and documents. What an interruption leaves is swept like an aborted upload.
 */
async function copyFolder(actor: Actor, id: string, target: ContainerRow): Promise<Filed> {
  const { row, sources, documents } = await folderToCopy(actor, id);
  const contents = await bytesOf(actor, documents);
  const size = contents.reduce((sum, each) => sum + each.size, 0);
  if (size > MAX_BYTES_IN_FOLDER) throw new PortalError('TOO_MANY');
  const release = await reserveQuota(actor.companyId, size);
  const blobs = new Map<string, StoredBlob>();
  try {
    for (const source of contents)
      blobs.set(source.documentId, await putBlob(source.open(), MAX_BYTES, undefined, { group: id }));
    const copied = await inTransaction(() => insertCopies(actor, { row, sources, blobs, target }));
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

/** Adds the copies in the open transaction, after checking all rights again. */
async function insertCopies(
  caller: Actor,
  {
    row,
    sources,
    blobs,
    target,
  }: {
    row: ContainerRow;
    sources: readonly ContainerRow[];
    blobs: ReadonlyMap<string, StoredBlob>;
    target: ContainerRow;
  },
): Promise<Filed> {
  const actor = await actorNow(caller);
  await assertActsFor(actor, row.client_id); // the right to read it may be gone meanwhile
  const found = await documentsNamed(actor, [...blobs.keys()]);
  if (found.length !== blobs.size) throw notFound();
  const name = await freeFolderName(actor, target.container_id, row.name);
  const copies = new Map<string, ContainerRow>();
  for (const source of sources) {
    const parent = source === row ? target : copies.get(source.parent_id ?? '');
    if (!parent) continue; // its parent was not visible
    const { id } = await createFolder(actor, {
      name: source === row ? name : source.name,
      parentId: parent.container_id,
      parentType: CONTAINER_TYPES[parent.container_type],
    });
    copies.set(source.container_id, await containerOf(actor, 'Folder', id));
  }
  const added: string[] = [];
  for (const document of found) {
    const place = copies.get(document.container_id);
    const blob = blobs.get(document.document_id);
    if (!place || !blob) throw notFound(); // moved meanwhile
    await countUpload(actor);
    await commitBlob(blob);
    const documentId = await insertDocument(actor, place, {
      name: document.name,
      mime: document.mime_type,
      blob,
    });
    await auditCopy(actor, documentId, target, blob.sha256);
    added.push(documentId);
  }
  const newId = copies.get(row.container_id)?.container_id ?? '';
  if (row.client_id !== target.client_id) await announceUploads(actor, newId, added);
  return {
    id: row.container_id,
    newId,
    name,
    ...(name !== row.name && { formerName: row.name }),
    result: 'COPIED',
  };
}

const auditCopy = (actor: Actor, documentId: string, target: ContainerRow, digest: string): Promise<void> =>
  audit({
    companyId: actor.companyId,
    actor: actor.contactId,
    action: 'document.copy',
    target: documentId,
    clientId: target.client_id,
    details: { sha256: digest },
  });
