import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { verifyAudit } from './audit.server.ts';
import { listStored, readBlob, storedBytes } from './blobs.server.ts';
import { HOUR, now } from './clock.server.ts';
import { db, integrityFaults } from './database.server.ts';
import { verifyReceipts } from './receipts.server.ts';
import { sealedFaults } from './sealed-rows.server.ts';

/** What {@link verify} looked at, and every fault it found, as a sentence without names. */
export interface Verified {
  documents: number;
  bytes: number;
  auditEntries: number;
  faults: string[];
}

/**
 * Compares everything that is written down with what is there: the database with itself, every document with its bytes (size and SHA-256,
 * after decryption), the store with the database, every audit trail with its hashes. With `deep` false the bytes are only counted.
 */
export async function verify(deep = true): Promise<Verified> {
  const faults = [...(await integrityFaults()), ...(await sealedFaults())];
  const audit = await verifyAudit();
  for (const { companyId, seq, fault } of audit.faults) faults.push(`the audit trail of ${companyId} does not hold from entry ${seq} on: ${fault}`);
  for (const { companyId, number, fault } of (await verifyReceipts()).faults) faults.push(`the receipts of ${companyId} do not hold from number ${number} on: ${fault}`);

  // The documents first: of what comes in meanwhile, the bytes are there before the row.
  const documents = await db().selectFrom('documents').select(['document_id', 'blob_key', 'size', 'sha256']).where('purged_at', 'is', null).execute();
  const kept = new Map((await db().selectFrom('blobs').select(['blob_key', 'size', 'wrapped_key']).execute()).map((row) => [row.blob_key, row]));
  const lying = new Map<string, number>();
  for await (const { key, size, modifiedAt, unfinished } of listStored()) {
    if (!unfinished) lying.set(key, size);
    if (modifiedAt < now() - HOUR && (unfinished || !kept.has(key))) faults.push(`${key} lies in the store and belongs to nothing; the portal removes it within an hour`);
  }
  for (const [key, { size, wrapped_key }] of kept) {
    const expected = storedBytes(key, size, wrapped_key !== null).size;
    if (!lying.has(key)) faults.push(`the bytes of ${key} are missing`);
    else if (lying.get(key) !== expected) faults.push(`${key} has ${lying.get(key)} bytes in the store instead of ${expected}`);
  }

  const counts = await sql<{ container_id: string }>`select container_id from containers where document_count <> (select count(*) from documents where documents.container_id = containers.container_id and deleted_at is null)`.execute(db());
  for (const row of counts.rows) faults.push(`${row.container_id} does not know how many documents it holds`);
  const comments = await sql<{ document_id: string }>`select document_id from documents where comments_count <> (select count(*) from comments where comments.document_id = documents.document_id)`.execute(db());
  for (const row of comments.rows) faults.push(`${row.document_id} does not know how many comments it has`);
  let bytes = 0;
  const owned = new Set<string>();
  const digests = deep ? await digestsOf([...kept.keys()].filter((key) => lying.has(key))) : new Map<string, string | undefined>();
  for (const { document_id: id, blob_key: key, size, sha256 } of documents) {
    bytes += size;
    owned.add(key);
    if (kept.get(key)?.size !== size) faults.push(`the document ${id} has no bytes of its size`);
    else if (digests.has(key) && digests.get(key) !== sha256) faults.push(`the document ${id} has other bytes than those that were handed in`);
  }
  for (const [key, digest] of digests) if (digest === undefined && !owned.has(key)) faults.push(`${key} cannot be read to its end`);
  return { documents: documents.length, bytes, auditEntries: audit.entries, faults };
}

/** From a bucket each blob is a request of its own: in turn, most of the time would be spent waiting. */
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

/** The SHA-256 of a blob; what cannot be decrypted has none. */
async function digestOf(key: string): Promise<string | undefined> {
  const digest = createHash('sha256');
  try {
    for await (const chunk of readBlob(key) as AsyncIterable<Buffer>) digest.update(chunk);
  } catch {
    return undefined;
  }
  return digest.digest('hex');
}
