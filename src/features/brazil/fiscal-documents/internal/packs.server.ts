import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { MAX_FISCAL_XML } from '#features/documents/fiscal-xml/read.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { commitBlob, putBlob, readBlob, type StoredBlob } from '#platform/storage/blobs.server.ts';

/*
 * The bytes of many files in one blob: each is compressed by itself (gzip), so that it is read alone, by its place. A
 * million blobs would be a million objects, keys and syncs (docs/decisions/0109).
 */

const compress = promisify(gzip);
/** As many as the pool has threads: each takes a quarter of a megabyte meanwhile. */
const COMPRESSED_AT_ONCE = 4;
const decompress = promisify(gunzip);

/** Files in a blob that is not committed yet, in their order. */
export interface Pack {
  blob: StoredBlob;
  places: readonly { offset: number; length: number }[];
}

/** Stores files in one blob; durable when it returns, but without an owner until {@link commitPack}. */
export async function storePack(group: string, files: readonly Uint8Array[]): Promise<Pack> {
  const members: Buffer[] = [];
  const places: { offset: number; length: number }[] = [];
  let offset = 0;
  for (let at = 0; at < files.length; at += COMPRESSED_AT_ONCE) {
    const some = files.slice(at, at + COMPRESSED_AT_ONCE);
    for (const member of await Promise.all(some.map((bytes) => compress(bytes)))) {
      members.push(member);
      places.push({ offset, length: member.length });
      offset += member.length;
    }
  }
  const blob = await putBlob(Readable.from(members), Math.max(1, offset), undefined, { group });
  return { blob, places };
}

/** Commits a pack, in the open transaction, and returns its id. */
export async function commitPack(
  { blob }: Pack,
  { companyId, clientId }: { companyId: string; clientId: string },
): Promise<string> {
  await commitBlob(blob);
  const packId = newId('pack');
  await db()
    .insertInto('fiscal_packs')
    .values({
      pack_id: packId,
      company_id: companyId,
      client_id: clientId,
      blob_key: blob.key,
      size: blob.size,
      created_at: now(),
    })
    .execute();
  return packId;
}

interface Place {
  blob_key: string;
  pack_offset: number;
  pack_length: number;
}

/** Reads the bytes of a file, exactly as they came in. */
export async function unpack({
  blob_key: key,
  pack_offset: start,
  pack_length: length,
}: Place): Promise<Buffer> {
  const packed = await buffer(readBlob(key, { start, end: start + length - 1 }));
  return decompress(packed, { maxOutputLength: MAX_FISCAL_XML });
}
