import type { Readable } from 'node:stream';
import { fileColumns, mimeTypeOf } from '#features/documents/documents/adding.server.ts';
import { agreedName } from '#features/documents/documents/file-types.server.ts';
import { MAX_BYTES } from '#features/documents/documents/rules.ts';
import { nameKey } from '#features/documents/folders/names.server.ts';
import { repairedName } from '#features/documents/folders/rules.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { noteStored } from '#features/documents/uploads/quota.server.ts';
import {
  commitBlobs,
  putBlob,
  releaseBlobs,
  removeBlob,
  type StoredBlob,
} from '#platform/storage/blobs.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { inGroups } from '#platform/storage/group-commit.server.ts';
import { findDuplicates, openBatch } from './batches.server.ts';
import { MAX_FILES } from './publishing.ts';

export interface StagedFile {
  id: string;
  name: string;
  sha256: string;
}

/** How many files are stored at once: while the disk syncs some, the next ones are read. */
export const AT_ONCE = 256;
/** How many share a transaction: half, so that the others arrive meanwhile. */
const GROUP = AT_ONCE / 2;

interface Incoming {
  name: string;
  mime: string;
  blob: StoredBlob;
}

/**
 * Returns what stores a file in an open batch, where only its creator sees it; durable when it returns. Files that are
 * added at once share their transactions. One with the same name replaces the one before, so that an upload that
 * broke off can simply be repeated. Refused like a document: BAD_NAME, TYPE_NOT_ALLOWED, EMPTY, TOO_LARGE;
 * TOO_MANY beyond 5,000 files. The caller has reserved the space.
 */
export async function fileAdder(
  actor: Actor,
  batchId: string,
): Promise<(file: { name: string; bytes: Readable }) => Promise<StagedFile>> {
  await openBatch(actor, batchId);
  const insert = inGroups(GROUP, async (files: readonly Incoming[]) => {
    try {
      return await insertFiles(actor, batchId, files);
    } catch (error) {
      const [only, ...others] = files;
      if (only && others.length === 0) await removeBlob(only.blob.key); // several are tried again, each alone
      throw error;
    }
  });
  return async ({ name: sent, bytes }) => {
    let name = repairedName(sent);
    mimeTypeOf(name);
    const inspect = (head: Buffer): void => void (name = agreedName(name, head));
    return insert(async () => {
      const blob = await putBlob(bytes, MAX_BYTES, inspect, { group: batchId });
      return { name, mime: mimeTypeOf(name), blob };
    });
  };
}

async function insertFiles(
  actor: Actor,
  batchId: string,
  files: readonly Incoming[],
): Promise<readonly StagedFile[]> {
  const added = files.map(({ name, blob }) => ({ id: newId('file'), name, sha256: blob.sha256 }));
  const keys = files.map(({ name }) => nameKey(name));
  if (new Set(keys).size < keys.length) throw new PortalError('NAME_CONFLICT'); // then each alone
  await inTransaction(async () => {
    const { client_id: clientId } = await openBatch(await actorNow(actor), batchId);
    const before = await db()
      .deleteFrom('publish_files')
      .where('batch_id', '=', batchId)
      .where('name_key', 'in', keys)
      .returning('blob_key')
      .execute();
    await releaseBlobs(before.flatMap((row) => row.blob_key ?? []));
    const { count } = await db()
      .selectFrom('publish_files')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('batch_id', '=', batchId)
      .executeTakeFirstOrThrow();
    if (Number(count) + files.length > MAX_FILES) throw new PortalError('TOO_MANY', { most: MAX_FILES });
    await commitBlobs(files.map(({ blob }) => blob));
    await db()
      .insertInto('publish_files')
      .values(
        files.map((file, index) => ({
          file_id: added[index]?.id ?? '',
          batch_id: batchId,
          ...fileColumns(file),
          client_id: clientId,
          matched_by: clientId === null ? null : ('hand' as const),
          folder: null,
          problem: null,
          listed_client_id: null,
          document_id: null,
          created_at: now(),
        })),
      )
      .execute();
    if (clientId !== null) await findDuplicates(batchId);
  });
  noteStored(
    actor.companyId,
    files.reduce((sum, { blob }) => sum + blob.size, 0),
  );
  return added;
}

/** Adds the files of a firm's batches that are not published yet to the space that it uses. */
export async function countStagedFiles({
  companyId,
  add,
}: {
  companyId: string;
  add: (bytes: number) => void;
}): Promise<void> {
  const { bytes } = await db()
    .selectFrom('publish_files')
    .innerJoin('publish_batches', 'publish_batches.batch_id', 'publish_files.batch_id')
    .select((e) => e.fn.coalesce(e.fn.sum<number>('publish_files.size'), e.lit(0)).as('bytes'))
    .where('publish_batches.company_id', '=', companyId)
    .where('publish_files.blob_key', 'is not', null)
    .executeTakeFirstOrThrow();
  add(Number(bytes));
}
