import type { Selectable } from 'kysely';
import { verdictOn } from '#features/documents/antivirus/antivirus.server.ts';
import { fileColumns, insertDocument, mimeTypeOf } from '#features/documents/documents/adding.server.ts';
import { agreedName } from '#features/documents/documents/file-types.server.ts';
import { nextFreeName } from '#features/documents/documents/free-names.server.ts';
import { MAX_BYTES } from '#features/documents/documents/rules.ts';
import { assertServable, scanOfNew } from '#features/documents/documents/scan-state.server.ts';
import { containerOf, uploadFolderOf } from '#features/documents/folders/folders.server.ts';
import { permissionsIn } from '#features/documents/folders/permissions.server.ts';
import { repairedName } from '#features/documents/folders/rules.ts';
import type { Actor } from '#features/base/people/people.ts';
import { describeAnswer, type TaskFile } from '#features/tasks/task-answers/files.server.ts';
import type { TaskRow } from '#features/tasks/tasks/scope.server.ts';
import { countUpload, noteStored, reserveQuota } from '#features/documents/uploads/quota.server.ts';
import {
  commitBlob,
  putBlob,
  readBlob,
  releaseBlobs,
  removeBlob,
  type StoredBlob,
} from '#platform/storage/blobs.server.ts';
import { isScanningEnabled } from '#platform/storage/clamd.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId, sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import type { Link } from './internal/store.server.ts';

/*
 * Files that somebody sent by a link. Until the contact accepts them they belong to the link: they are no documents, and
 * the firm sees nothing of them (docs/decisions/0084). What is not accepted is deleted.
 */

interface ReceivedFile {
  fileId: string;
  name: string;
  mime: string;
  blob: StoredBlob;
  /** Recognizes a file that is sent again since the answer was lost; null without a key of its client. */
  uploadHash: string | null;
}

/**
 * Receives a file for a link, and runs `store` for it in a transaction; false means that it was stored before. Refused
 * like a document: BAD_NAME, TYPE_NOT_ALLOWED, EMPTY, TOO_LARGE, QUOTA. A refused or interrupted one leaves nothing.
 */
export async function receiveFile(
  { link_id: linkId, company_id: companyId }: Link,
  path: string,
  { name: sent, bytes, announced = 1, key }: TaskFile,
  store: (file: ReceivedFile) => Promise<boolean>,
): Promise<void> {
  let name = repairedName(sent);
  mimeTypeOf(name);
  const release = await reserveQuota(companyId, announced);
  try {
    const blob = await putBlob(bytes, MAX_BYTES, (head) => (name = agreedName(name, head)));
    const uploadHash =
      key === undefined ? null : sha256(JSON.stringify([linkId, path, name, blob.sha256, key]));
    let isNew = false;
    try {
      isNew = await inTransaction(() =>
        store({ fileId: newId('linkfile'), name, mime: mimeTypeOf(name), blob, uploadHash }),
      );
    } finally {
      if (!isNew) await removeBlob(blob.key);
    }
    if (isNew) noteStored(companyId, blob.size);
  } finally {
    release();
  }
}

/** Whether an earlier attempt to send a file has stored it. The caller has locked the link. */
export async function isStored({ link_id: linkId }: Link, { uploadHash }: ReceivedFile): Promise<boolean> {
  if (uploadHash === null) return false;
  const row = await db()
    .selectFrom('task_link_files')
    .select('file_id')
    .where('link_id', '=', linkId)
    .where('upload_hash', '=', uploadHash)
    .executeTakeFirst();
  return row !== undefined;
}

/** Stores a received file, in the open transaction. */
export async function insertFile(
  { link_id: linkId, company_id: companyId }: Link,
  path: string,
  { fileId, uploadHash, ...file }: ReceivedFile,
): Promise<void> {
  await commitBlob(file.blob);
  await db()
    .insertInto('task_link_files')
    .values({
      file_id: fileId,
      link_id: linkId,
      path,
      ...fileColumns(file),
      scan: scanOfNew(),
      upload_hash: uploadHash,
      created_at: now(),
    })
    .execute();
  if (isScanningEnabled()) await enqueue('scan-link-file', { fileId }, `scan-link-file:${fileId}`, companyId);
}

/** The job that scans a file before the contact opens it. A document that it became meanwhile is scanned as such. */
export async function scanLinkFile(payload: unknown): Promise<void> {
  const { fileId } = payload as { fileId: string };
  const file = await db()
    .selectFrom('task_link_files')
    .select('blob_key')
    .where('file_id', '=', fileId)
    .where('scan', '=', 'pending')
    .executeTakeFirst();
  if (!file || !isScanningEnabled()) return;
  const verdict = await verdictOn(file.blob_key);
  await db().updateTable('task_link_files').set({ scan: verdict }).where('file_id', '=', fileId).execute();
}

export type SentFile = Selectable<Tables['task_link_files']>;

/** The files that came by a link and wait, in the order in which they came. */
export const filesOfLink = (linkId: string): Promise<SentFile[]> =>
  db()
    .selectFrom('task_link_files')
    .selectAll()
    .where('link_id', '=', linkId)
    .orderBy('created_at')
    .orderBy('file_id')
    .execute();

/** The bytes of a file that waits, to send them. INFECTED if it has a virus. */
export function bytesOfFile(file: SentFile) {
  assertServable(file);
  return {
    name: file.name,
    type: file.mime_type,
    size: file.size,
    etag: file.sha256,
    open: (range?: { start: number; end: number }) => readBlob(file.blob_key, range),
  };
}

/**
 * Turns files of a link into documents of the client's folder of uploads, in the open transaction, which has locked the
 * link. Returns the document of each file. FORBIDDEN without the right to add there, TOO_MANY as for an upload.
 */
export async function acceptFiles(
  actor: Actor,
  row: TaskRow,
  link: Link,
  files: readonly SentFile[],
): Promise<Map<string, string>> {
  const documents = new Map<string, string>();
  if (files.length === 0) return documents;
  const folder = await uploadFolderOf(actor, row.client_id, 'uploads');
  const place = await containerOf(actor, folder.containerType, folder.id);
  if (!(await permissionsIn(actor, place)).addContents) throw new PortalError('FORBIDDEN');
  for (const file of files) {
    await countUpload(actor);
    const documentId = await insertDocument(actor, place, {
      name: await nextFreeName(place, file.name),
      mime: file.mime_type,
      blob: { key: file.blob_key, size: file.size, sha256: file.sha256, crc32: Number(file.crc32) },
      scan: file.scan,
      sender: { id: link.link_id, name: link.person, askedBy: link.made_by },
    });
    await describeAnswer(actor, documentId, { row, path: file.path });
    documents.set(file.file_id, documentId);
  }
  await db()
    .deleteFrom('task_link_files')
    .where('file_id', 'in', [...documents.keys()])
    .execute();
  return documents;
}

/** Deletes the files of links that wait, in the open transaction. */
export async function deleteFiles(linkIds: readonly string[]): Promise<void> {
  if (linkIds.length === 0) return;
  const deleted = await db()
    .deleteFrom('task_link_files')
    .where('link_id', 'in', linkIds)
    .returning('blob_key')
    .execute();
  await releaseBlobs(deleted.map((file) => file.blob_key));
}

/** Adds the files that wait to the space that a firm uses. */
export async function countWaitingFiles({
  companyId,
  add,
}: {
  companyId: string;
  add: (bytes: number) => void;
}): Promise<void> {
  const { bytes } = await db()
    .selectFrom('task_link_files')
    .innerJoin('task_links', 'task_links.link_id', 'task_link_files.link_id')
    .select((e) => e.fn.coalesce(e.fn.sum<number>('task_link_files.size'), e.lit(0)).as('bytes'))
    .where('task_links.company_id', '=', companyId)
    .executeTakeFirstOrThrow();
  add(Number(bytes));
}
