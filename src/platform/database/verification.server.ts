import { createHash } from 'node:crypto';
import { verifyAudit } from '../security/audit.server.ts';
import { listStored, readBlob, storedBytes } from '../storage/blobs.server.ts';
import { HOUR, now } from '../runtime/clock.server.ts';
import { db, integrityFaults } from './database.server.ts';
import { encryptionFaults } from './encrypted-rows.server.ts';
import { composition } from '../runtime/feature.server.ts';

/** What {@link verify} checked, and a sentence for each fault, without names. */
export interface VerificationResult {
  documents: number;
  bytes: number;
  auditEntries: number;
  faults: string[];
}

/**
 * Verifies the installation: the database itself, every document against its bytes (size and SHA-256 after
 * decryption), the store against the database, and every audit log. Without `deep` only sizes are compared.
 */
export async function verify(deep = true): Promise<VerificationResult> {
  const faults = [...(await integrityFaults()), ...(await encryptionFaults())];
  const audit = await verifyAudit();
  for (const { companyId, seq, fault } of audit.faults)
    faults.push(`the audit log of ${companyId} is invalid from entry ${seq} on: ${fault}`);

  // documents first: a concurrent upload stores its bytes before its row
  const documents = await db()
    .selectFrom('documents')
    .select(['document_id', 'blob_key', 'size', 'sha256'])
    .where('purged_at', 'is', null)
    .execute();
  const blobs = new Map(
    (await db().selectFrom('blobs').select(['blob_key', 'size', 'wrapped_key', 'part_count']).execute()).map(
      (row) => [row.blob_key, row],
    ),
  );
  const parts = await db().selectFrom('blob_parts').select(['blob_key', 'part_key']).execute();
  const sizesInStore = new Map<string, number>();
  for await (const { key, size, modifiedAt, unfinished } of listStored()) {
    if (!unfinished) sizesInStore.set(key, size);
    if (modifiedAt < now() - HOUR && (unfinished || !blobs.has(key)))
      faults.push(`${key} is in the store but not in use; the portal removes it within an hour`);
  }
  const partsOf = Map.groupBy(parts, (row) => row.blob_key);
  for (const [key, { size, wrapped_key, part_count }] of blobs) {
    if (part_count > 0) {
      const own = partsOf.get(key) ?? [];
      if (own.reduce((sum, row) => sum + (blobs.get(row.part_key)?.size ?? 0), 0) !== size)
        faults.push(`the parts of ${key} do not add up to its size`);
      continue;
    }
    const expected = storedBytes(key, size, wrapped_key !== null).size;
    if (!sizesInStore.has(key)) faults.push(`the bytes of ${key} are missing`);
    else if (sizesInStore.get(key) !== expected)
      faults.push(`${key} has ${sizesInStore.get(key)} bytes in the store instead of ${expected}`);
  }

  for (const feature of composition()) faults.push(...((await feature.verify?.()) ?? []));
  let bytes = 0;
  const owned = new Set<string>();
  const isPart = new Set(parts.map((row) => row.part_key)); // which are read with the whole
  const digests = deep
    ? await digestsOf(
        [...blobs.keys()].filter((key) => (sizesInStore.has(key) || partsOf.has(key)) && !isPart.has(key)),
      )
    : new Map<string, string | undefined>();
  for (const { document_id: id, blob_key: key, size, sha256 } of documents) {
    bytes += size;
    owned.add(key);
    if (blobs.get(key)?.size !== size) faults.push(`the size of document ${id} does not match its bytes`);
    else if (digests.has(key) && digests.get(key) !== sha256)
      faults.push(`the bytes of document ${id} differ from those uploaded`);
  }
  for (const [key, digest] of digests)
    if (digest === undefined && !owned.has(key)) faults.push(`${key} cannot be read completely`);
  return { documents: documents.length, bytes, auditEntries: audit.entries, faults };
}

/** In a bucket each blob is a request: one at a time, most of the time would be spent waiting. */
const READ_AT_ONCE = 8;

/** The SHA-256 of each blob by its key. */
async function digestsOf(keys: readonly string[]): Promise<Map<string, string | undefined>> {
  const digests = new Map<string, string | undefined>();
  const queue = keys.values();
  const reader = async (): Promise<void> => {
    for (const key of queue) digests.set(key, await digestOf(key));
  };
  await Promise.all(Array.from({ length: READ_AT_ONCE }, reader));
  return digests;
}

/** The SHA-256 of a blob; undefined when it cannot be decrypted. */
async function digestOf(key: string): Promise<string | undefined> {
  const digest = createHash('sha256');
  try {
    for await (const chunk of readBlob(key) as AsyncIterable<Buffer>) digest.update(chunk);
  } catch {
    return undefined;
  }
  return digest.digest('hex');
}
