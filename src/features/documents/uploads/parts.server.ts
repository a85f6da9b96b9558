import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { assertMayAdd } from '#features/documents/documents/adding.server.ts';
import { documentById } from '#features/documents/documents/documents.server.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import { agreedName } from '#features/documents/documents/file-types.server.ts';
import { MAX_BYTES } from '#features/documents/documents/rules.ts';
import {
  defaultFolder,
  findDefaultFolder,
  uploadFolderOf,
} from '#features/documents/folders/folders.server.ts';
import { extensionOf, repairedName } from '#features/documents/folders/rules.ts';
import { actorNow, assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import {
  commitBlob,
  freeBlobSpace,
  HEAD_BYTES,
  joinedBlob,
  putBlob,
  readBlob,
  removeBlob,
  type StoredBlob,
} from '#platform/storage/blobs.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { ContentDigest } from '#platform/storage/content-digest.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError, refusal, type ErrorCode } from '#platform/runtime/errors.server.ts';
import { ExpiringMap } from '#platform/runtime/expiring-map.server.ts';
import { discard, ownUpload, reservations, takeParts, uploadsOf } from './internal/rows.server.ts';
import { assertMayUpload, assertRoomOfFirm } from './quota.server.ts';
import { uploadDocument } from './uploads.server.ts';
import { MAX_PART, type OpenUpload, type UploadMetadata } from './uploads.ts';

/** Removes expired uploads, with the bytes of those that were never completed. */
export async function sweepUploads(): Promise<void> {
  for (;;) {
    const over = await db()
      .selectFrom('uploads')
      .select('upload_id')
      .where('expires_at', '<=', now())
      .limit(100)
      .execute();
    if (over.length === 0) return;
    await discard(over.map(({ upload_id: id }) => id));
  }
}

/*
 * Resumable uploads (docs/decisions/0027). Each part is a blob of its own, durable before it is acknowledged,
 * and linked to the upload by a row; so every node, and the next process, knows the offset. When all parts
 * are there, the blob of the document consists of them.
 */

const LIFE = DAY;
const MAX_OPEN = 10;
/** A full upload has 63 parts of the maximum size; broken connections make more of them. */
const MAX_PARTS = 2000;
/** Errors that more data cannot fix: the upload ends with them. */
const FINAL: readonly ErrorCode[] = ['FORBIDDEN', 'NOT_FOUND', 'TYPE_NOT_ALLOWED', 'EMPTY'];

/**
 * Opens an upload of `size` bytes for the actor and returns its id. Throws the errors of {@link addDocument}:
 * BAD_NAME, TYPE_NOT_ALLOWED, EMPTY, TOO_LARGE, NAME_CONFLICT (`suggestion`), FORBIDDEN; TOO_MANY with ten
 * open uploads, QUOTA without space for the announced size.
 */
export async function startUpload(actor: Actor, size: number, given: UploadMetadata): Promise<OpenUpload> {
  if (size === 0) throw new PortalError('EMPTY', { name: given.filename });
  if (size > MAX_BYTES) throw new PortalError('TOO_LARGE', { most: MAX_BYTES, name: given.filename });
  if (given.into !== undefined && given.containerType !== 'Client')
    throw new PortalError('INVALID', { expected: 'into=uploads only for a client' });
  if (given.into === 'firm') {
    const folder = await uploadFolderOf(actor, given.containerId, given.into);
    return startUpload(actor, size, {
      ...given,
      containerType: folder.containerType,
      containerId: folder.id,
      into: undefined,
    });
  }
  const name = repairedName(given.filename);
  const clientId = await assertMayAdd(actor, {
    ...(await placeToAsk(actor, given)),
    name,
    onConflict: given.onConflict,
  });
  await assertMayUpload(actor);
  const room = await freeBlobSpace();
  const row = {
    upload_id: newId('upload'),
    company_id: actor.companyId,
    client_id: clientId,
    contact_id: actor.contactId,
    container_id: given.containerId,
    container_type: given.containerType,
    into_uploads: given.into === undefined ? (0 as const) : (1 as const),
    name,
    on_conflict: given.onConflict,
    size,
    received: 0,
    parts: 0,
    last_modified: given.lastModified ?? null,
    created_at: now(),
    expires_at: now() + LIFE,
    document_id: null,
  };
  await inTransaction(async () => {
    const { open, reserved } = await reservations(actor);
    if (open >= MAX_OPEN) throw new PortalError('TOO_MANY', { mostOpen: MAX_OPEN, retryAfter: 60 });
    await assertRoomOfFirm(actor.companyId, size);
    if (room !== undefined && reserved + size > room) throw new PortalError('QUOTA');
    await db().insertInto('uploads').values(row).execute();
  });
  return present(row);
}

/** The current target of the file: the upload folder of a client is created with the first document. */
async function placeToAsk(
  actor: Actor,
  { containerType, containerId, into }: UploadMetadata,
): Promise<Pick<UploadMetadata, 'containerType' | 'containerId'>> {
  const folder = into === undefined ? undefined : await findDefaultFolder(actor, containerId);
  return folder
    ? { containerType: folder.containerType, containerId: folder.id }
    : { containerType, containerId };
}

/** Lists the actor's uploads that can be resumed, the newest first. */
export async function listUploads(actor: Actor): Promise<OpenUpload[]> {
  const rows = await uploadsOf(actor)
    .where('document_id', 'is', null)
    .orderBy('created_at', 'desc')
    .execute();
  return rows.map(present);
}

/** Finds an upload of the actor's own; NOT_FOUND for every other, and after it has expired. */
export const uploadOf = async (actor: Actor, uploadId: string): Promise<OpenUpload> =>
  present(await ownUpload(actor, uploadId));

/** Ends an upload; its bytes are released. */
export async function dropUpload(actor: Actor, uploadId: string): Promise<void> {
  await ownUpload(actor, uploadId);
  await discard([uploadId]);
}

interface Part {
  offset: number;
  bytes: Readable;
  checksum?: { algorithm: 'sha1' | 'sha256'; digest: string } | undefined;
}

/**
 * Stores the next part of an upload and returns the new offset, which is durable. A partial part from a
 * broken connection is stored too, unless it has a checksum. OFFSET_MISMATCH (`offset` is the right one) for
 * a part at another offset, CHECKSUM_MISMATCH, TOO_LARGE beyond 8 MiB or the announced size, TYPE_NOT_ALLOWED
 * if the first part shows that the content does not match the name: this ends the upload.
 */
export async function takePart(
  actor: Actor,
  uploadId: string,
  { offset, bytes, checksum }: Part,
): Promise<number> {
  const row = await ownUpload(actor, uploadId);
  if (offset !== row.received) throw new PortalError('OFFSET_MISMATCH', { offset: row.received });
  if (row.parts >= MAX_PARTS) throw new PortalError('TOO_LARGE', { mostParts: MAX_PARTS });
  const digest = checksum && createHash(checksum.algorithm);
  const whole = { isWhole: true };
  const most = Math.min(MAX_PART, row.size - offset);
  const soFar = digestAt(row);
  const blob = await putBlob(
    Readable.from(whatComes(bytes, digest, whole)),
    most,
    (head) => offset === 0 && head.length >= Math.min(HEAD_BYTES, row.size) && agreedName(row.name, head),
    soFar && { digest: soFar },
  ).catch((error: unknown) => endedBy(row.upload_id, error));
  if (digest && (!whole.isWhole || digest.digest('base64') !== checksum.digest)) {
    await removeBlob(blob.key);
    throw new PortalError('CHECKSUM_MISMATCH');
  }
  if (blob.size === 0) {
    await removeBlob(blob.key);
    return offset;
  }
  const isNext = await addPart(actor, row, blob).catch(async (error: unknown) => {
    await removeBlob(blob.key);
    return endedBy(uploadId, error);
  });
  if (isNext) {
    if (soFar) digests.set(uploadId, soFar, LIFE);
    return offset + blob.size;
  }
  await removeBlob(blob.key); // another connection was faster, or somebody ended the upload
  throw new PortalError('OFFSET_MISMATCH', { offset: (await ownUpload(actor, uploadId)).received });
}

/**
 * Checks that the part is the next one; all rights are checked again, since receiving it may have taken long.
 */
function addPart(
  actor: Actor,
  upload: Awaited<ReturnType<typeof ownUpload>>,
  blob: StoredBlob,
): Promise<boolean> {
  const { upload_id: uploadId, received, parts } = upload;
  return inTransaction(async () => {
    await assertActsFor(await actorNow(actor), upload.client_id);
    const moved = await db()
      .updateTable('uploads')
      .set({ received: received + blob.size, parts: parts + 1, expires_at: now() + LIFE })
      .where('upload_id', '=', uploadId)
      .where('received', '=', received)
      .where('document_id', 'is', null)
      .returning('upload_id')
      .executeTakeFirst();
    if (!moved) return false;
    await commitBlob(blob);
    const part = { upload_id: uploadId, number: parts + 1, size: blob.size, blob_key: blob.key };
    await db().insertInto('upload_parts').values(part).execute();
    return true;
  });
}

/** Yields the bytes until the end, also if the connection broke. */
async function* whatComes(
  bytes: Readable,
  digest: Hash | undefined,
  whole: { isWhole: boolean },
): AsyncGenerator<Buffer, void> {
  try {
    for await (const chunk of bytes.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      const piece = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      digest?.update(piece);
      yield piece;
    }
  } catch {
    whole.isWhole = false; // the sender resumes from the stored offset
  }
}

/**
 * In this process uploads are completed one at a time; on another node the database lets one of two succeed.
 */
const finishing = new Map<string, Promise<Document>>();

/**
 * Creates the document of a complete upload, with `changed` under another name, and returns it; repeated
 * calls return the same. Rights are checked again. After NAME_CONFLICT, QUOTA or UNAVAILABLE the bytes are
 * kept and it can be tried again; any other error ends the upload.
 */
export function finishUpload(
  actor: Actor,
  uploadId: string,
  changed: Partial<Pick<UploadMetadata, 'filename' | 'onConflict'>> = {},
): Promise<Document> {
  const running = finishing.get(uploadId);
  const work = (running ?? Promise.resolve(undefined))
    .catch(() => undefined)
    .then(() => finish(actor, uploadId, changed));
  finishing.set(uploadId, work);
  return work.finally(() => finishing.get(uploadId) === work && finishing.delete(uploadId));
}

async function finish(
  actor: Actor,
  uploadId: string,
  changed: Partial<Pick<UploadMetadata, 'filename' | 'onConflict'>>,
): Promise<Document> {
  const row = await ownUpload(actor, uploadId);
  if (row.document_id !== null) return documentById(actor, row.document_id);
  if (row.received !== row.size) throw new PortalError('OFFSET_MISMATCH', { offset: row.received });
  const name = changed.filename === undefined ? row.name : repairedName(changed.filename);
  const onConflict = changed.onConflict ?? row.on_conflict;
  if (extensionOf(name) !== extensionOf(row.name)) throw new PortalError('BAD_NAME', { name });
  try {
    const place = row.into_uploads
      ? await uploadsFolder(actor, row.container_id)
      : { containerType: row.container_type, containerId: row.container_id };
    const added = await uploadDocument(actor, {
      ...place,
      ...(await joinedParts(row, name)),
      onConflict,
      announced: 'reserved',
      alongWith: (documentId) => close(uploadId, documentId),
    });
    digests.delete(uploadId);
    return added;
  } catch (error) {
    const after = await ownUpload(actor, uploadId).catch(() => undefined); // ended meanwhile
    if (after?.document_id) return documentById(actor, after.document_id);
    if (!after && !refusal(error)) throw notFound(); // its bytes could no longer be read
    return endedBy(uploadId, error);
  }
}

/** The upload folder of a client as a target. */
async function uploadsFolder(
  actor: Actor,
  clientId: string,
): Promise<Pick<UploadMetadata, 'containerType' | 'containerId'>> {
  const { id, containerType } = await defaultFolder(actor, clientId);
  return { containerType, containerId: id };
}

/**
 * The digests of uploads whose parts have all been received by this process. For the others, the parts are read again at
 * the end.
 */
const digests = new ExpiringMap<ContentDigest>(1000);

/** A copy of the digest of all bytes received; undefined if another process received some of them. */
function digestAt({
  upload_id: id,
  received,
}: {
  upload_id: string;
  received: number;
}): ContentDigest | undefined {
  if (received === 0) return new ContentDigest();
  const known = digests.get(id);
  return known?.size === received ? known.copy() : undefined;
}

/** Joins all parts to one blob, and checks its first bytes. */
async function joinedParts(
  upload: { upload_id: string; received: number },
  name: string,
): Promise<{ bytes: StoredBlob; name: string }> {
  const keys = (
    await db()
      .selectFrom('upload_parts')
      .select('blob_key')
      .where('upload_id', '=', upload.upload_id)
      .orderBy('number')
      .execute()
  ).map((row) => row.blob_key);
  const known = digestAt(upload);
  const digest = known ?? new ContentDigest();
  let head: Buffer | undefined = Buffer.alloc(0);
  let agreed = name;
  for await (const chunk of bytesOf(keys)) {
    if (!known) digest.update(chunk);
    if (head) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.length)]);
    if (head?.length === HEAD_BYTES) {
      agreed = agreedName(name, head);
      head = undefined;
      if (known) break;
    }
  }
  if (head) agreed = agreedName(name, head);
  return { bytes: joinedBlob(keys, digest), name: agreed };
}

/** The bytes of blobs, each opened when the one before it has been read. */
async function* bytesOf(keys: readonly string[]): AsyncGenerator<Buffer, void> {
  for (const key of keys) yield* readBlob(key) as AsyncIterable<Buffer>;
}

/**
 * Records the result of an upload in the open transaction; its parts now belong to the document. Of two calls, the second
 * finds it done.
 */
async function close(uploadId: string, documentId: string): Promise<void> {
  const closed = await db()
    .updateTable('uploads')
    .set({ document_id: documentId, expires_at: now() + LIFE })
    .where('upload_id', '=', uploadId)
    .where('document_id', 'is', null)
    .returning('upload_id')
    .executeTakeFirst();
  if (!closed) throw notFound();
  await takeParts([uploadId]);
}

/** Ends the upload if this error ends it, and rethrows it. */
async function endedBy(uploadId: string, error: unknown): Promise<never> {
  const problem = refusal(error);
  if (problem && FINAL.includes(problem.code)) await discard([uploadId]);
  throw error;
}

function present(row: Omit<Awaited<ReturnType<typeof ownUpload>>, 'contact_id'>): OpenUpload {
  return {
    uploadId: row.upload_id,
    name: row.name,
    size: row.size,
    offset: row.received,
    lastModified: row.last_modified,
    containerType: row.container_type,
    containerId: row.container_id,
    intoUploads: row.into_uploads === 1,
    expiresAt: new Date(row.expires_at).toISOString(),
  };
}
