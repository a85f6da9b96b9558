import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { insertDocument, reserveAsOriginal } from '#features/documents/documents/adding.server.ts';
import { bytesOf, type DocumentBytes } from '#features/documents/documents/bytes.server.ts';
import { nextFreeName } from '#features/documents/documents/free-names.server.ts';
import { MAX_BYTES } from '#features/documents/documents/rules.ts';
import { documentsOf } from '#features/documents/documents/scope.server.ts';
import { permissionsIn } from '#features/documents/folders/permissions.server.ts';
import { containersOf, type ContainerRow } from '#features/documents/folders/scope.server.ts';
import { actorNow, actorOf, assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { announceUploads } from '#features/documents/uploads/notifications.server.ts';
import { countUpload, noteStored, reserveQuota } from '#features/documents/uploads/quota.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { commitBlobs, putBlob, removeBlob, type StoredBlob } from '#platform/storage/blobs.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { enqueue, FinalError, jobsWithKey } from '#platform/jobs/jobs.server.ts';

/*
 * Large folders are copied by jobs, one for each batch of documents: a batch, its audit entries and the job of the next
 * one are one transaction. After a crash the copy continues with the batch that was not committed, and without space
 * it waits. One transaction for a thousand documents would keep others waiting for seconds (docs/decisions/0057).
 */

/** How many documents share a transaction, for which others wait. */
export const MAX_TOGETHER = 20;

const folderCopy = z.strictObject({
  contactId: z.string(),
  /** The copied folder, and its copy with the name that it got. */
  folderId: z.string(),
  newId: z.string(),
  /** Each copied folder, with its copy. */
  folders: z.array(z.tuple([z.string(), z.string()])),
  total: z.number(),
  /** The batch, the number of documents copied before it, and the last of them. */
  step: z.number(),
  done: z.number(),
  after: z.string(),
});
type FolderCopy = z.infer<typeof folderCopy>;

/** Begins to copy the documents of folders to these copies of them, in the open transaction. */
export const startFolderCopy = (
  actor: Actor,
  copy: Pick<FolderCopy, 'folderId' | 'newId' | 'folders' | 'total'>,
): Promise<void> =>
  enqueueStep(actor.companyId, { ...copy, contactId: actor.contactId, step: 0, done: 0, after: '' });

/** The progress is in the key, because payloads are deleted with their job. */
const enqueueStep = (companyId: string, copy: FolderCopy): Promise<void> =>
  enqueue('copy-folder', copy, `${stepKey(copy)}${copy.done}/${copy.total}`, companyId);

const copyKey = (newId: string): string => `copy-folder:${newId}:`;
const stepKey = ({ newId, step }: Pick<FolderCopy, 'newId' | 'step'>): string => `${copyKey(newId)}${step}:`;

export interface FolderCopyProgress {
  done: number;
  total: number;
  /** `waiting` for another attempt, for lack of space if `isFull`; `stopped` for good. */
  state: 'copying' | 'waiting' | 'stopped';
  isFull: boolean;
}

/** How far a folder that is being copied is; undefined for any other, and one that the actor may not see. */
export async function folderCopyProgress(
  actor: Actor,
  newId: string,
): Promise<FolderCopyProgress | undefined> {
  const job = (await jobsWithKey(copyKey(newId))).find(({ state }) => state !== 'done');
  const [, done, total] = /:(\d+)\/(\d+)$/.exec(job?.key ?? '') ?? [];
  if (!job || done === undefined || total === undefined) return undefined;
  if (!(await containersOf(actor).where('container_id', '=', newId).executeTakeFirst())) return undefined;
  return {
    done: Number(done),
    total: Number(total),
    state: job.state === 'given up' ? 'stopped' : job.error === undefined ? 'copying' : 'waiting',
    isFull: job.error === 'QUOTA',
  };
}

/** The job that copies a batch of documents. */
export async function copyBatch(payload: unknown): Promise<void> {
  const copy = folderCopy.parse(payload);
  const next = stepKey({ newId: copy.newId, step: copy.step + 1 });
  if ((await jobsWithKey(next)).length > 0) return; // a crash came after it was committed
  try {
    const actor = await actorNow(await actorOf(copy.contactId));
    await copyDocuments(actor, copy, await nextDocuments(actor, copy));
  } catch (error) {
    const { code } = refusal(error) ?? {};
    // a right was withdrawn, or a folder deleted: trying again cannot help
    if (code !== undefined && STOPS.has(code)) throw new FinalError(code, error);
    throw error;
  }
  await setImmediate(); // others are served in between
}

const STOPS = new Set(['FORBIDDEN', 'GONE', 'LOCKED', 'INFECTED', 'UNAUTHENTICATED', 'TERMS_REQUIRED']);

async function nextDocuments(
  actor: Actor,
  { folderId, folders, after }: FolderCopy,
): Promise<DocumentBytes[]> {
  const source = await containersOf(actor).where('container_id', '=', folderId).executeTakeFirst();
  if (!source) throw new PortalError('GONE'); // or the actor may not see it any more
  const rows = await documentsOf(actor)
    .where(
      'documents.container_id',
      'in',
      folders.map(([from]) => from),
    )
    .where('documents.document_id', '>', after)
    .orderBy('documents.document_id')
    .limit(MAX_TOGETHER)
    .execute();
  return bytesOf(
    actor,
    rows.map((row) => row.document_id),
  );
}

async function copyDocuments(
  caller: Actor,
  copy: FolderCopy,
  documents: readonly DocumentBytes[],
): Promise<void> {
  if (documents.length === 0) return;
  const size = documents.reduce((sum, each) => sum + each.size, 0);
  const release = await reserveQuota(caller.companyId, size);
  const blobs = new Map<string, StoredBlob>();
  try {
    await storeCopies(copy.newId, documents, blobs);
    await inTransaction(() => insertBatch(caller, copy, blobs));
    noteStored(caller.companyId, size);
  } catch (error) {
    for (const { key } of blobs.values()) await removeBlob(key);
    throw error;
  } finally {
    release();
  }
}

/** Copies the bytes of documents. They belong to no one until a transaction commits them. */
export async function storeCopies(
  group: string,
  documents: readonly DocumentBytes[],
  blobs: Map<string, StoredBlob>,
): Promise<void> {
  for (const source of documents)
    blobs.set(source.documentId, await putBlob(source.open(), MAX_BYTES, undefined, { group }));
}

async function insertBatch(
  caller: Actor,
  copy: FolderCopy,
  blobs: ReadonlyMap<string, StoredBlob>,
): Promise<void> {
  const actor = await actorNow(caller);
  const next = {
    ...copy,
    step: copy.step + 1,
    done: copy.done + blobs.size,
    after: [...blobs.keys()].toSorted().at(-1) ?? '',
  };
  if ((await jobsWithKey(stepKey(next))).length > 0) throw new PortalError('UNAVAILABLE'); // it ran twice at a time
  const places = await placesOf(actor, copy);
  const added = await insertCopies(actor, blobs, places);
  const [top] = [...places.values()];
  const source = await containersOf(actor).where('container_id', '=', copy.folderId).executeTakeFirst();
  if (!top || !source) throw notFound();
  if (source.client_id !== top.client_id) await announceUploads(actor, copy.newId, added);
  await enqueueStep(actor.companyId, next);
}

/** The copies of the folders, by the folder that they are a copy of; FORBIDDEN where the actor may not add any more. */
async function placesOf(actor: Actor, { folders }: FolderCopy): Promise<Map<string, ContainerRow>> {
  const rows = await containersOf(actor)
    .where(
      'container_id',
      'in',
      folders.map(([, to]) => to),
    )
    .execute();
  const byId = new Map(rows.map((row) => [row.container_id, row]));
  const places = new Map<string, ContainerRow>();
  for (const [from, to] of folders) {
    const place = byId.get(to);
    if (!place) throw new PortalError('GONE'); // deleted meanwhile
    if (places.size === 0 && !(await permissionsIn(actor, place)).addContents)
      throw new PortalError('FORBIDDEN');
    places.set(from, place);
  }
  return places;
}

/** Adds copies of documents in the open transaction, and returns their ids. */
export async function insertCopies(
  actor: Actor,
  blobs: ReadonlyMap<string, StoredBlob>,
  places: ReadonlyMap<string, ContainerRow>,
): Promise<string[]> {
  const found = await documentsOf(actor)
    .where('documents.document_id', 'in', [...blobs.keys()])
    .execute();
  if (found.length !== blobs.size) throw notFound();
  await commitBlobs([...blobs.values()]);
  const added: string[] = [];
  for (const document of found) {
    await assertActsFor(actor, document.client_id); // the right to read it may be gone meanwhile
    const place = places.get(document.container_id);
    const blob = blobs.get(document.document_id);
    if (!place || !blob) throw notFound(); // moved meanwhile
    await countUpload(actor);
    const name = await nextFreeName(place, document.name);
    const documentId = await insertDocument(actor, place, { name, mime: document.mime_type, blob });
    await reserveAsOriginal(documentId, document.document_id);
    await auditCopy(actor, documentId, { place, digest: blob.sha256 });
    added.push(documentId);
  }
  return added;
}

export const auditCopy = (
  actor: Actor,
  documentId: string,
  { place, digest }: { place: ContainerRow; digest: string },
): Promise<void> =>
  audit({
    companyId: actor.companyId,
    actor: actor.contactId,
    action: 'document.copy',
    target: documentId,
    clientId: place.client_id,
    details: { sha256: digest },
  });
