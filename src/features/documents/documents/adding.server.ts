import { Readable } from 'node:stream';
import { containerOf } from '#features/documents/folders/folders.server.ts';
import type { ContainerType } from '#features/documents/folders/folders.ts';
import { nameKey } from '#features/documents/folders/names.server.ts';
import { permissionsIn } from '#features/documents/folders/permissions.server.ts';
import { extensionOf, nameIsAcceptable, repairedName } from '#features/documents/folders/rules.ts';
import type { ContainerRow } from '#features/documents/folders/scope.server.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { issueEach } from '#features/base/receipts/issuing.server.ts';
import { auditAll } from '#platform/security/audit.server.ts';
import { commitBlob, putBlob, removeBlob, type StoredBlob } from '#platform/storage/blobs.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inBatches, inTransaction, isUniqueViolation } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { documentById } from './documents.server.ts';
import type { Document, ScanState } from './documents.ts';
import { documentAdded } from './events.server.ts';
import { agreedName, ALLOWED_TYPES } from './file-types.server.ts';
import { namesTaken, nextFreeName } from './free-names.server.ts';
import { markRead } from './reading.server.ts';
import { isCertificate, isExecutable, MAX_BYTES } from './rules.ts';
import { scanOfNew } from './scan-state.server.ts';

/** Checks which of the names are taken in a container (spec 1 section 7, documents/exists). */
export async function existing(
  actor: Actor,
  type: ContainerType,
  containerId: string,
  names: readonly string[],
): Promise<boolean[]> {
  const place = await containerOf(actor, type, containerId);
  const keys = names.map((name) => nameKey(repairedName(name)));
  const taken = await namesTaken(place.container_id, keys);
  return keys.map((key) => taken.has(key));
}

interface Incoming {
  containerType: ContainerType;
  containerId: string;
  name: string;
  /** What is received, or what is stored already and has been checked. */
  bytes: Readable | StoredBlob;
  /** `rename` takes the next free name, `fail` throws NAME_CONFLICT with a suggestion. */
  onConflict: 'rename' | 'fail';
  /** Runs in the transaction of the document, and is rolled back with it. */
  alongWith?: (documentId: string) => Promise<void>;
}

/**
 * Checks a document before its content is sent: its name, its container, and with `fail` a taken name.
 * Returns the client to which it would belong.
 */
export async function assertMayAdd(
  actor: Actor,
  input: Omit<Incoming, 'bytes' | 'alongWith'>,
): Promise<string> {
  return (await placeFor(actor, input)).place.client_id;
}

/**
 * Adds a document and returns it once its content is durable, under a name that can be stored and fits its content. BAD_NAME, TYPE_NOT_ALLOWED (by name or by
 * content), EMPTY, TOO_LARGE, NAME_CONFLICT (`suggestion`), FORBIDDEN. A refused or interrupted upload leaves
 * nothing.
 */
export async function addDocument(actor: Actor, input: Incoming): Promise<Document> {
  const { name, place } = await placeFor(actor, input);
  let agreed = name;
  const blob =
    input.bytes instanceof Readable
      ? await putBlob(input.bytes, MAX_BYTES, (head) => (agreed = agreedName(name, head)))
      : input.bytes;
  try {
    return await insertUnderFreeName(actor, blob, { ...input, name: agreed });
  } catch (error) {
    await removeBlob(blob.key);
    if (isUniqueViolation(error)) throw await nameConflict(place, name);
    throw error;
  }
}

async function placeFor(
  actor: Actor,
  input: Omit<Incoming, 'bytes' | 'alongWith'>,
): Promise<{ name: string; mime: string; place: ContainerRow }> {
  const name = repairedName(input.name);
  const mime = mimeTypeOf(name);
  const place = await containerOf(actor, input.containerType, input.containerId);
  if (!(await permissionsIn(actor, place)).addContents) throw new PortalError('FORBIDDEN');
  if (input.onConflict === 'fail' && (await namesTaken(place.container_id, [nameKey(name)])).size > 0)
    throw await nameConflict(place, name);
  return { name, mime, place };
}

/**
 * Checks all rights again, since receiving may have taken long. On PostgreSQL two uploads may find the same
 * name free at the same moment: the second one then searches again.
 */
async function insertUnderFreeName(
  actor: Actor,
  blob: StoredBlob,
  input: Omit<Incoming, 'bytes'>,
): Promise<Document> {
  const { onConflict, alongWith } = input;
  for (let tries = 0; ; tries += 1) {
    try {
      return await inTransaction(async () => {
        const current = await actorNow(actor);
        const { name, mime, place } = await placeFor(current, input);
        const freeName = onConflict === 'rename' ? await nextFreeName(place, name) : name;
        await commitBlob(blob);
        const id = await insertDocument(current, place, { name: freeName, mime, blob });
        const added = await documentById(current, id);
        await alongWith?.(added.id);
        return added;
      });
    } catch (error) {
      if (onConflict === 'fail' || tries === MAX_TRIES || !isUniqueViolation(error)) throw error;
    }
  }
}

const MAX_TRIES = 100;

/** The type of a document by its name; BAD_NAME, TYPE_NOT_ALLOWED. */
export function mimeTypeOf(name: string): string {
  if (!nameIsAcceptable(name)) throw new PortalError('BAD_NAME', { name });
  const type = ALLOWED_TYPES[extensionOf(name)];
  if (isCertificate(name)) throw new PortalError('TYPE_NOT_ALLOWED', { name, reason: 'CERTIFICATE' });
  if (!type || isExecutable(name)) throw new PortalError('TYPE_NOT_ALLOWED', { name });
  return type.mime;
}

/** The bytes of a document: a committed blob, which from now on belongs to it. */
type Bytes = Pick<StoredBlob, 'key' | 'size' | 'sha256' | 'crc32'>;

/** A person without an account who sent a file: the id of their link, their name, and the contact who had asked. */
interface Sender {
  id: string;
  name: string;
  askedBy: string;
}

/** A stored file: its name, its type and its bytes. */
interface StoredFile {
  name: string;
  mime: string;
  blob: Bytes;
  /** The result of a scan before it became a document. */
  scan?: ScanState | null;
  /** Who sent it, if that was not the actor. */
  sender?: Sender;
}

/** The columns of a stored file, which documents and files to be published share. */
export const fileColumns = ({ name, mime, blob }: Pick<StoredFile, 'name' | 'mime' | 'blob'>) => ({
  name,
  name_key: nameKey(name),
  mime_type: mime,
  size: blob.size,
  sha256: blob.sha256,
  crc32: blob.crc32,
  blob_key: blob.key,
});

/**
 * Adds a document whose bytes are committed, in the open transaction, to a container where the actor may add, under a
 * name that is free there; with its confirmation and audit entry. Returns its id.
 */
export async function insertDocument(actor: Actor, place: ContainerRow, file: StoredFile): Promise<string> {
  const [documentId] = await insertDocuments(actor, place, [file]);
  return documentId as string;
}

/** The same for several, under different names, with few statements. Returns their ids in their order. */
export async function insertDocuments(
  actor: Actor,
  place: ContainerRow,
  files: readonly StoredFile[],
): Promise<readonly string[]> {
  const { company_id: companyId, client_id: clientId, container_id: containerId } = place;
  const instant = now();
  const added = files.map((file) => ({ documentId: newId('doc'), file }));
  for (const some of inBatches(added))
    await db()
      .insertInto('documents')
      .values(
        some.map(({ documentId, file }) => ({
          document_id: documentId,
          company_id: companyId,
          client_id: clientId,
          container_id: containerId,
          ...fileColumns(file),
          created_by: file.sender?.askedBy ?? actor.contactId,
          uploaded_by_staff: actor.staff ? 1 : 0,
          created_at: instant,
          modified_at: instant,
          deleted_at: null,
          scan: file.scan ?? scanOfNew(),
        })),
      )
      .execute();
  for (const { documentId, file } of added)
    if (file.sender)
      await db()
        .insertInto('document_senders')
        .values({
          document_id: documentId,
          sent_by: encryptFor('document_senders.sent_by', documentId, file.sender.name),
        })
        .execute();
  await assertNotDeleted(place);
  for (const { documentId, file } of added)
    await documentAdded.announce({
      documentId,
      companyId,
      clientId,
      containerId,
      name: file.name,
      byStaff: actor.staff,
    });
  const ids = added.map(({ documentId }) => documentId);
  if (!actor.staff) await markRead(actor, ids);
  const receipts = await issueEach({
    companyId,
    kind: 'upload',
    actor: actor.contactId,
    documents: added.map(({ documentId, file: { name, blob, sender } }) => ({
      documentId,
      ...(sender && { actor: sender.id }),
      clientId,
      name,
      size: blob.size,
      sha256: blob.sha256,
    })),
  });
  await auditAll(
    companyId,
    added.map(({ documentId, file: { blob, sender } }, index) => ({
      actor: sender?.id ?? actor.contactId,
      action: 'document.upload',
      target: documentId,
      clientId,
      details: {
        sha256: blob.sha256,
        size: blob.size,
        ...(sender && { askedBy: sender.askedBy }),
        ...receipts[index],
      },
    })),
  );
  return ids;
}

/**
 * Throws NOT_FOUND if the container was deleted meanwhile. Checked after a document came into it: its count has
 * locked the container's row by then, so the container stays until the end of the transaction.
 */
export async function assertNotDeleted(place: Pick<ContainerRow, 'container_id'>): Promise<void> {
  const row = await db()
    .selectFrom('containers')
    .select('deleted_at')
    .where('container_id', '=', place.container_id)
    .executeTakeFirst();
  if (row?.deleted_at !== null) throw notFound();
}

async function nameConflict(place: ContainerRow, name: string): Promise<PortalError> {
  return new PortalError('NAME_CONFLICT', { name, suggestion: await nextFreeName(place, name) });
}

/** Reserves a document that was just added for those who have an action, in the open transaction. */
export async function reserveForAction(documentId: string, section: string, action: string): Promise<void> {
  await db()
    .updateTable('documents')
    .set({ audience: `${section}/${action}` })
    .where('document_id', '=', documentId)
    .execute();
}

/** Reserves a copy for those for whom its original is, in the transaction that adds it. */
export async function reserveAsOriginal(copyId: string, originalId: string): Promise<void> {
  await db()
    .updateTable('documents')
    .set((e) => ({
      audience: e
        .selectFrom('documents as original')
        .select('original.audience')
        .where('original.document_id', '=', originalId),
    }))
    .where('document_id', '=', copyId)
    .execute();
}
