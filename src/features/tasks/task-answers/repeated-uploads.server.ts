import { DAY, now } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';

/*
 * A file is sent again when the answer was lost on the way, although it was stored. Its client sends a key of its own with
 * every attempt; a form without scripts has one key for all its files, so that name and bytes count, too.
 */

const REMEMBERED = 7 * DAY;

/** A file that a task receives. */
export interface UploadId {
  taskId: string;
  path: string;
  name: string;
  /** The same for every attempt; undefined if the client has none. */
  key: string | undefined;
}

/** Rolls the transaction of a second copy back. */
export class StoredBefore extends Error {
  readonly documentId: string;

  constructor(documentId: string) {
    super('stored before');
    this.documentId = documentId;
  }
}

/**
 * Remembers, in the open transaction, as which document a file is stored. Throws {@link StoredBefore} if an earlier attempt
 * was, and its document is still among those of the question, whose row the caller has locked.
 */
export async function rememberUpload(
  { taskId, path, name, key }: UploadId,
  documentId: string,
  documents: readonly string[],
): Promise<void> {
  if (key === undefined) return;
  const { sha256: digest } = await db()
    .selectFrom('documents')
    .select('sha256')
    .where('document_id', '=', documentId)
    .executeTakeFirstOrThrow();
  const hash = sha256(JSON.stringify([taskId, path, name, digest, key]));
  const before = await db()
    .selectFrom('task_uploads')
    .select('document_id')
    .where('upload_hash', '=', hash)
    .executeTakeFirst();
  if (before && documents.includes(before.document_id)) throw new StoredBefore(before.document_id);
  const stored = { document_id: documentId, stored_at: now() };
  await db()
    .insertInto('task_uploads')
    .values({ upload_hash: hash, ...stored })
    .onConflict((conflict) => conflict.column('upload_hash').doUpdateSet(stored))
    .execute();
}

export async function sweepTaskUploads(): Promise<void> {
  await db()
    .deleteFrom('task_uploads')
    .where('stored_at', '<', now() - REMEMBERED)
    .execute();
}
