import { bytesOf } from '#features/documents/bytes.server.ts';
import { subtreeOf } from '#features/documents/folder-rights.server.ts';
import { documentsOf } from '#features/documents/scope.server.ts';
import { createFolder, containerOf } from '#features/folders/folders.server.ts';
import { CONTAINER_TYPES } from '#features/folders/folders.ts';
import { containersOf, type ContainerRow } from '#features/folders/scope.server.ts';
import { permissionsIn } from '#features/folders/permissions.server.ts';
import { assertActsFor } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { uploadDocument } from '#features/uploads/uploads.server.ts';
import { reserveQuota } from '#features/uploads/quota.server.ts';
import { audit } from '#platform/audit.server.ts';
import { notFound, PortalError, refusal } from '#platform/errors.server.ts';
import { REASONS, type ChosenItems, type Filed } from './filing.ts';
import { uploadTreeOf } from './moving.server.ts';
import { freeFolderName } from './renaming.server.ts';

/** The maximum number of documents of one copied folder. */
const MAX_IN_FOLDER = 1000;

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
        await audit({
          companyId: actor.companyId,
          actor: actor.contactId,
          action: 'document.copy',
          target: documentId,
          clientId: target.client_id,
          details: { sha256: source.sha256 },
        });
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

/** Copies a folder with its folders and documents; one that cannot be copied ends it with its reason. */
async function copyFolder(actor: Actor, id: string, target: ContainerRow): Promise<Filed> {
  const row = await containersOf(actor).where('containers.container_id', '=', id).executeTakeFirst();
  if (!row) throw notFound();
  if (row.container_type === 'client') throw new PortalError('FORBIDDEN');
  const sources = await subtreeOf(actor, row);
  const documents = await documentsOf(actor)
    .where(
      'documents.container_id',
      'in',
      sources.map((each) => each.container_id),
    )
    .orderBy('documents.name_key')
    .limit(MAX_IN_FOLDER + 1)
    .execute();
  if (documents.length > MAX_IN_FOLDER) throw new PortalError('TOO_MANY');
  const byContainer = Map.groupBy(documents, (document) => document.container_id);
  const name = await freeFolderName(actor, target.container_id, row.name);
  const copies = new Map<string, ContainerRow>();
  for (const source of sources) {
    const parent = source === row ? target : copies.get(source.parent_id ?? '');
    if (!parent) continue; // its parent was not visible
    const copy = await createFolder(actor, {
      name: source === row ? name : source.name,
      parentId: parent.container_id,
      parentType: CONTAINER_TYPES[parent.container_type],
    });
    const container = await containerOf(actor, 'Folder', copy.id);
    copies.set(source.container_id, container);
    for (const document of byContainer.get(source.container_id) ?? [])
      await copyDocument(actor, document.document_id, container);
  }
  const newId = copies.get(id)?.container_id ?? '';
  return { id, newId, name, ...(name !== row.name && { formerName: row.name }), result: 'COPIED' };
}
