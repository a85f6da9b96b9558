import { Readable } from 'node:stream';
import { actorNow, clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { fileColumns, mimeTypeOf } from '#features/documents/documents/adding.server.ts';
import { agreedName } from '#features/documents/documents/file-types.server.ts';
import { MAX_BYTES } from '#features/documents/documents/rules.ts';
import { nameKey } from '#features/documents/folders/names.server.ts';
import { repairedName } from '#features/documents/folders/rules.ts';
import { noteStored, reserveQuota } from '#features/documents/uploads/quota.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { commitBlobs, putBlob, removeBlob, type StoredBlob } from '#platform/storage/blobs.server.ts';
import { createBatch, openBatch } from './batches.server.ts';
import { MAX_FILES, type NewBatch } from './publishing.ts';

interface Copy {
  clientId: string;
  name: string;
  blob: StoredBlob;
}

/**
 * Creates a batch with the same files for each of these clients, named like the first file, and returns its id. Each client
 * gets bytes of its own, as documents are deleted alone. EMPTY without clients or files, TOO_MANY, NOT_FOUND for a client of
 * somebody else, GONE for an archived one, QUOTA, and what a document is refused for: TYPE_NOT_ALLOWED, BAD_NAME …
 */
export async function createBatchFor(
  actor: Actor,
  clientIds: readonly string[],
  { files, ...settings }: Omit<NewBatch, 'name'> & { files: readonly File[] },
): Promise<string> {
  const [first] = files;
  if (!first || clientIds.length === 0) throw new PortalError('EMPTY');
  if (files.length * clientIds.length > MAX_FILES) throw new PortalError('TOO_MANY', { most: MAX_FILES });
  await assertCurrent(actor, clientIds);
  const bytes = files.reduce((sum, { size }) => sum + size, 0) * clientIds.length;
  const release = await reserveQuota(actor.companyId, bytes);
  const copies: Copy[] = [];
  try {
    for (const file of files)
      for (const clientId of clientIds) copies.push({ clientId, ...(await stored(file)) });
    const batchId = await inTransaction(async () => {
      const name = repairedName(first.name).replace(/\.[^.]+$/, '');
      const id = await createBatch(await actorNow(actor), { ...settings, name });
      await insertCopies(actor, id, copies);
      return id;
    });
    noteStored(actor.companyId, bytes);
    return batchId;
  } catch (error) {
    for (const { blob } of copies) await removeBlob(blob.key);
    throw error;
  } finally {
    release();
  }
}

async function assertCurrent(actor: Actor, clientIds: readonly string[]): Promise<void> {
  const rows = await clientIdsOf(actor)
    .select('clients.archived_at')
    .where('clients.client_id', 'in', clientIds)
    .execute();
  if (rows.length < new Set(clientIds).size) throw notFound();
  if (rows.some((row) => row.archived_at !== null)) throw new PortalError('GONE');
}

async function stored(file: File): Promise<Omit<Copy, 'clientId'>> {
  let name = repairedName(file.name);
  mimeTypeOf(name);
  const inspect = (head: Buffer): void => void (name = agreedName(name, head));
  const bytes = Buffer.from(await file.arrayBuffer());
  const blob = await putBlob(Readable.from([bytes]), MAX_BYTES, inspect);
  return { name, blob };
}

async function insertCopies(actor: Actor, batchId: string, copies: readonly Copy[]): Promise<void> {
  await openBatch(actor, batchId);
  await assertCurrent(actor, [...new Set(copies.map(({ clientId }) => clientId))]);
  await commitBlobs(copies.map(({ blob }) => blob));
  for (const some of inBatches(copies))
    await db()
      .insertInto('publish_files')
      .values(
        some.map(({ clientId, name, blob }) => ({
          file_id: newId('file'),
          batch_id: batchId,
          ...fileColumns({ name, mime: mimeTypeOf(name), blob }),
          // a name occurs once in a batch, but here once for each client; no name has a slash
          name_key: `${nameKey(name)}/${clientId}`,
          client_id: clientId,
          matched_by: 'hand' as const,
          folder: null,
          problem: null,
          listed_client_id: null,
          document_id: null,
          created_at: now(),
        })),
      )
      .execute();
}
