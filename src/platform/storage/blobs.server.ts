import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { Readable } from 'node:stream';
import { decryptFrames, encryptFrames, framesAround, storedSize } from './blob-frames.server.ts';
import { fileStore } from './blob-files.server.ts';
import { now } from '../runtime/clock.server.ts';
import { config } from '../runtime/config.server.ts';
import { ContentDigest } from './content-digest.server.ts';
import { sha256 } from '../security/crypto.server.ts';
import { db, inBatches, inTransaction, lockRows, withoutSync } from '../database/database.server.ts';
import { damaged, notFound, PortalError, refusal, unlessStorageIsFull } from '../runtime/errors.server.ts';
import { defineEvent } from '../runtime/events.server.ts';
import { log } from '../monitoring/log.server.ts';
import { encryptFor, decryptFrom } from '../security/encryption.server.ts';
import { changeSetting, setting } from '../runtime/settings.server.ts';

/** Stores bytes in a folder or a bucket. Knows neither keys nor owners. */
export interface BlobStore {
  /**
   * Stores the chunks under a new name: durable when it returns, visible only when complete, and nothing is
   * left behind on failure.
   */
  put(key: string, chunks: AsyncIterable<Buffer>): Promise<void>;
  /** The bytes, or those from `start` to `end`, both inclusive. */
  get(key: string, range: { start: number; end: number }): AsyncIterable<Buffer>;
  remove(key: string): Promise<void>;
  /** Everything in the store, complete or not. `modifiedAt` in epoch ms by the store's own clock. */
  list(): AsyncIterable<{ key: string; size: number; modifiedAt: number; unfinished: boolean }>;
  /** Free space in bytes; undefined where unknown. */
  freeSpace(): Promise<number | undefined>;
  /** Stores, reads and removes something; throws when one of these fails. Absent where it is known otherwise. */
  probe?(): Promise<void>;
  /** Discards what an interrupted {@link put} left. */
  abandon(key: string): Promise<void>;
}

/**
 * A stored blob, which lasts once {@link commitBlob} is committed: its name, and size, SHA-256 (hex) and
 * CRC-32 of the bytes received.
 */
export interface StoredBlob {
  key: string;
  size: number;
  sha256: string;
  crc32: number;
  /** Null for a blob that consists of others. */
  wrappedKey: string | null;
  /** The committed blobs that it consists of, in their order. */
  parts?: readonly string[];
}

const store = await openStore(config.blobUrl);

/** Opens the store of an `s3://` URL, or the blob folder of this installation. */
async function openStore(url: string | undefined): Promise<BlobStore> {
  return url === undefined
    ? fileStore(path.join(config.dataDir, 'blobs'))
    : (await import('./blob-s3.server.ts')).s3Store(url);
}

const KEY = /^[0-9a-f-]{36}$/;

function assertKey(key: string): void {
  if (!KEY.test(key)) throw new Error('not a blob key');
}

/**
 * Stores a stream, encrypted, chunk by chunk; durable when it returns. `inspect` gets the first bytes (up to
 * 4,100) and may throw. More than `maxBytes`: TOO_LARGE; no space: QUOTA. Nothing is left behind on failure.
 * Until {@link commitBlob} the blob has no owner and is swept after an hour. Blobs with the same `group` are stored in
 * one folder, so that many at once share its syncs. A `digest`
 * continues with these bytes, and the digests returned are of all that it has been given.
 */
export async function putBlob(
  source: Readable,
  maxBytes: number,
  inspect: (head: Buffer) => void = () => undefined,
  { group, digest = new ContentDigest() }: { group?: string; digest?: ContentDigest } = {},
): Promise<StoredBlob> {
  const key = group === undefined ? randomUUID() : sha256(group).slice(0, 2) + randomUUID().slice(2);
  const secret = randomBytes(32);
  const before = digest.size;
  const chunks = inspectedChunks(source, maxBytes, digest, inspect);
  const frames = encryptFrames(chunks, secret, key);
  try {
    await store.put(key, frames);
  } finally {
    await frames.return(undefined); // lets go of the source, however early the store has failed
  }
  const { size, ...digests } = digest.result();
  return {
    key,
    size: size - before,
    ...digests,
    wrappedKey: encryptFor('blobs.wrapped_key', key, secret.toString('base64')),
  };
}

/**
 * A blob that consists of committed blobs, without a copy of their bytes: they belong to it after
 * {@link commitBlob}. `digest` is of all their bytes.
 */
export const joinedBlob = (parts: readonly string[], digest: ContentDigest): StoredBlob => ({
  key: randomUUID(),
  ...digest.result(),
  wrappedKey: null,
  parts,
});

/** Commits a stored blob, as part of the open transaction that also writes the row that owns it. */
export const commitBlob = (blob: StoredBlob): Promise<void> => commitBlobs([blob]);

/** Commits up to some hundred blobs, as {@link commitBlob}. NOT_FOUND when what one consists of was released meanwhile. */
export async function commitBlobs(blobs: readonly StoredBlob[]): Promise<void> {
  const instant = now();
  await db()
    .insertInto('blobs')
    .values(
      blobs.map(({ key, size, wrappedKey, parts }) => ({
        blob_key: key,
        size,
        wrapped_key: wrappedKey,
        part_count: parts?.length ?? 0,
        created_at: instant,
        checked_at: instant,
      })),
    )
    .execute();
  for (const { key, parts } of blobs) if (parts) await commitParts(key, parts);
}

async function commitParts(key: string, parts: readonly string[]): Promise<void> {
  const rows = parts.map((part, index) => ({ blob_key: key, number: index + 1, part_key: part }));
  for (const some of inBatches(rows)) {
    const keys = some.map((row) => row.part_key);
    const committed = await db()
      .selectFrom('blobs')
      .select('blob_key')
      .where('blob_key', 'in', keys)
      .modifyEnd(lockRows)
      .execute();
    if (committed.length < keys.length) throw notFound();
    await db().insertInto('blob_parts').values(some).execute();
  }
}

/** Passes a stream on while its digest is computed and its first bytes are inspected. TOO_LARGE beyond `maxBytes`. */
async function* inspectedChunks(
  source: Readable,
  maxBytes: number,
  digest: ContentDigest,
  inspect: (head: Buffer) => void,
): AsyncGenerator<Buffer, void> {
  const before = digest.size;
  let head: Buffer | undefined = Buffer.alloc(0);
  // Leaves the stream open after a refusal: a part of a form must be drained before the next one arrives.
  for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (digest.size - before + chunk.length > maxBytes)
      throw new PortalError('TOO_LARGE', { most: maxBytes });
    if (head) {
      head = Buffer.concat([head, chunk]);
      if (head.length >= HEAD_BYTES) {
        inspect(head.subarray(0, HEAD_BYTES));
        head = undefined;
      }
    }
    digest.update(chunk);
    yield chunk;
  }
  if (head) inspect(head);
}

/** How many first bytes file type detection needs. */
export const HEAD_BYTES = 4100;

/**
 * The bytes of a committed blob, or of its range `start`–`end`, both inclusive. Missing or altered bytes end
 * the stream with DAMAGED.
 */
export function readBlob(key: string, range?: { start: number; end: number }): Readable {
  assertKey(key);
  return Readable.from(plainBytes(key, range), { objectMode: false });
}

/**
 * The bytes of a committed blob, once their beginning can be read; undefined if they are damaged. A later damage ends the
 * stream with DAMAGED.
 */
export async function openUndamaged(key: string): Promise<Readable | undefined> {
  const bytes = readBlob(key);
  try {
    await once(bytes, 'readable');
    return bytes;
  } catch (error) {
    bytes.destroy();
    if (refusal(error)?.code === 'DAMAGED') return undefined;
    throw error;
  }
}

async function* plainBytes(
  key: string,
  range: { start: number; end: number } | undefined,
): AsyncGenerator<Buffer, void> {
  const row = await db()
    .selectFrom('blobs')
    .select(['size', 'wrapped_key', 'part_count', 'damaged_at'])
    .where('blob_key', '=', key)
    .executeTakeFirst();
  if (!row) throw new Error(`unknown blob ${key}`);
  const start = range?.start ?? 0;
  const end = Math.min(range?.end ?? Infinity, row.size - 1);
  if (end < start) return;
  const secret = row.wrapped_key === null ? undefined : unwrap(key, row.wrapped_key);
  const read = (from: number, to: number): AsyncIterable<Buffer> =>
    row.part_count > 0
      ? bytesOfParts(key, from, to)
      : secret === undefined
        ? store.get(key, { start: from, end: to })
        : decryptFrames(store.get(key, framesAround(row.size, from, to)), secret, key, from, to);
  try {
    // What was found damaged is read completely before its first byte is sent, so that retrying an aborted
    // download reports the reason, and works once the file has been replaced.
    if (row.damaged_at !== null) {
      const whole = read(0, row.size - 1)[Symbol.asyncIterator]();
      while ((await whole.next()).done !== true); // throws if it is damaged still
      await markDamage(key, null);
    }
    yield* read(start, end);
  } catch (error) {
    throw await noteDamage(key, isMissing(error) ? damaged(error) : error);
  }
}

/** The bytes `start`–`end` (inclusive) of a blob that consists of others. */
async function* bytesOfParts(key: string, start: number, end: number): AsyncGenerator<Buffer, void> {
  const parts = await db()
    .selectFrom('blob_parts')
    .innerJoin('blobs', 'blobs.blob_key', 'blob_parts.part_key')
    .select(['part_key', 'blobs.size'])
    .where('blob_parts.blob_key', '=', key)
    .orderBy('number')
    .execute();
  let from = 0;
  for (const { part_key: part, size } of parts) {
    if (start < from + size && end >= from)
      yield* plainBytes(part, { start: Math.max(0, start - from), end: Math.min(size, end + 1 - from) - 1 });
    from += size;
  }
}

/** The bytes of a blob were found missing or altered, announced once; `blobRepaired` when they could be read again. */
export const blobDamaged = defineEvent<{ key: string }>();
export const blobRepaired = defineEvent<{ key: string }>();

/** Logs and stores that a blob is damaged, so that operators and its firm learn which file is affected. */
async function noteDamage(key: string, error: unknown): Promise<unknown> {
  if (refusal(error)?.code !== 'DAMAGED') return error;
  log.error({ err: error, event: 'blob.damaged', blob: key });
  await markDamage(key, now());
  return error;
}

/**
 * Sets or clears the mark of a blob; what consists of a damaged one is damaged, too. A failure is logged only: what was
 * being read matters more.
 */
async function markDamage(key: string, at: number | null): Promise<void> {
  const mark = async (): Promise<void> => {
    const marked = await db()
      .updateTable('blobs')
      .set({ damaged_at: at })
      .where((e) =>
        e.or([
          e('blob_key', '=', key),
          e('blob_key', 'in', at === null ? intactBlobWithPart(key) : blobWithPart(key)),
        ]),
      )
      .where('damaged_at', at === null ? 'is not' : 'is', null)
      .returning('blob_key')
      .execute();
    for (const row of marked)
      await (at === null ? blobRepaired : blobDamaged).announce({ key: row.blob_key });
  };
  await unlessStorageIsFull(() => inTransaction(mark)).catch((error: unknown) =>
    log.error({ err: error, event: 'blob.mark-failed', blob: key }),
  );
}

/** The blob that another one is a part of. */
const blobWithPart = (key: string) =>
  db().selectFrom('blob_parts').select('blob_parts.blob_key').where('part_key', '=', key);

/** The same, if none of its other parts is damaged. */
const intactBlobWithPart = (key: string) =>
  blobWithPart(key).where(({ not, exists, selectFrom }) =>
    not(
      exists(
        selectFrom('blob_parts as others')
          .innerJoin('blobs as damaged', 'damaged.blob_key', 'others.part_key')
          .select('others.number')
          .whereRef('others.blob_key', '=', 'blob_parts.blob_key')
          .where('others.part_key', '<>', key)
          .where('damaged.damaged_at', 'is not', null),
      ),
    ),
  );

/** How much is read through at a time. */
const CHECKED_AT_ONCE = 50 * 1024 ** 2;
const MAX_CHECKED = 1000;

/**
 * Reads through blobs that were not checked for longest, so that damage is noticed while there are still backups
 * of the file. Returns their number.
 */
export async function checkBlobs(maxBytes = CHECKED_AT_ONCE, signal?: AbortSignal): Promise<number> {
  const oldest = await db()
    .selectFrom('blobs')
    .select(['blob_key', 'size'])
    .where('part_count', '=', 0)
    .orderBy('checked_at')
    .limit(MAX_CHECKED)
    .execute();
  let left = maxBytes;
  const checked: string[] = [];
  try {
    for (const { blob_key: key, size } of oldest) {
      if (left <= 0 || signal?.aborted) break;
      left -= size;
      await readThrough(key);
      checked.push(key);
    }
  } finally {
    for (const keys of inBatches(checked)) {
      const set = db().updateTable('blobs').set({ checked_at: now() }).where('blob_key', 'in', keys);
      await unlessStorageIsFull(() => withoutSync(() => set.execute()));
    }
  }
  return checked.length;
}

/** Reads a blob completely, and notes if it is damaged. */
async function readThrough(key: string): Promise<void> {
  try {
    const bytes = plainBytes(key, undefined);
    while ((await bytes.next()).done !== true); // throws if it is damaged
  } catch (error) {
    const row = await db()
      .selectFrom('blobs')
      .select('blob_key')
      .where('blob_key', '=', key)
      .executeTakeFirst();
    if (row && refusal(error)?.code !== 'DAMAGED') throw error; // else it was released meanwhile
  }
}

/** True when the store responds but lacks these bytes, or its disk cannot read them. */
function isMissing(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, status } = error as { code?: unknown; status?: unknown };
  return code === 'ENOENT' || code === 'EIO' || code === 'NoSuchKey' || status === 416;
}

const unwrap = (key: string, wrapped: string): Buffer =>
  Buffer.from(decryptFrom('blobs.wrapped_key', key, wrapped), 'base64');

/** Removes a blob that was never committed. */
export async function removeBlob(key: string): Promise<void> {
  assertKey(key);
  await store.remove(key);
}

/**
 * Releases committed blobs, as part of the open transaction. Their keys are deleted, so nobody can read them
 * afterwards; a sweep removes the bytes, as soon as they are older than an hour and no backup is running.
 */
export async function releaseBlobs(keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const parts = await db()
    .deleteFrom('blob_parts')
    .where('blob_key', 'in', keys)
    .returning('part_key')
    .execute();
  for (const some of inBatches([...keys, ...parts.map((row) => row.part_key)]))
    await db().deleteFrom('blobs').where('blob_key', 'in', some).execute();
}

const SWEEPS_PAUSED_UNTIL = 'sweeps-held-until';

/** Pauses sweeps until `until` (epoch ms), so that a backup can copy the blobs it listed. */
export const pauseSweepsUntil = (until: number): Promise<void> =>
  changeSetting(SWEEPS_PAUSED_UNTIL, String(until));

/**
 * Removes blobs older than `olderThan` that are incomplete or not committed. Does nothing while a backup
 * runs.
 */
export async function sweepBlobs(olderThan: number, signal?: AbortSignal): Promise<number> {
  if (Number((await setting(SWEEPS_PAUSED_UNTIL)) ?? 0) > now()) return 0;
  let removed = 0;
  let old: string[] = [];
  const removeOrphans = async (): Promise<void> => {
    const rows =
      old.length === 0
        ? []
        : await db().selectFrom('blobs').select('blob_key').where('blob_key', 'in', old).execute();
    const committed = new Set(rows.map((row) => row.blob_key));
    const orphans = old.filter((key) => !committed.has(key));
    for (const key of orphans) await store.remove(key);
    removed += orphans.length;
    old = [];
  };
  for await (const { key, modifiedAt, unfinished } of store.list()) {
    if (signal?.aborted) return removed;
    if (modifiedAt >= olderThan) continue;
    if (!unfinished) old.push(key);
    else {
      await store.abandon(key);
      removed += 1;
    }
    if (old.length >= 500) await removeOrphans();
  }
  await removeOrphans();
  return removed;
}

/** The bytes as stored, encrypted, with their expected size: for copies, which need no key. Reads lazily. */
export function storedBytes(
  key: string,
  size: number,
  encrypted: boolean,
): { size: number; bytes: AsyncIterable<Buffer> } {
  const stored = encrypted ? storedSize(size) : size;
  const read = async function* (): AsyncGenerator<Buffer, void> {
    if (stored > 0) yield* store.get(key, { start: 0, end: stored - 1 });
  };
  return { size: stored, bytes: read() };
}

/** Restores bytes from {@link storedBytes}, replacing what an interrupted attempt left. */
export async function putStored(key: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  await store.abandon(key);
  await store.put(key, bytes);
}

/**
 * Copies every committed blob that is missing there into another store, and compares the two. Returns how
 * many blobs there are, and the keys of those that differ.
 */
export async function moveBlobs(url: string): Promise<{ blobs: number; different: string[] }> {
  const target = await openStore(url);
  const existing = new Map(
    (await Array.fromAsync(target.list()))
      .filter(({ unfinished }) => !unfinished)
      .map(({ key, size }) => [key, size]),
  );
  const committed = await db()
    .selectFrom('blobs')
    .select(['blob_key', 'size', 'wrapped_key'])
    .where('part_count', '=', 0)
    .execute();
  const different: string[] = [];
  for (const { blob_key: key, size, wrapped_key: wrapped } of committed) {
    const stored = storedBytes(key, size, wrapped !== null);
    if (existing.get(key) !== stored.size) await target.put(key, stored.bytes);
    const [source, copy] = [
      await digestOf(storedBytes(key, size, wrapped !== null).bytes),
      await digestOf(target.get(key, { start: 0, end: stored.size - 1 })),
    ];
    if (source !== copy) different.push(key);
  }
  return { blobs: committed.length, different };
}

async function digestOf(bytes: AsyncIterable<Buffer>): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of bytes) digest.update(chunk);
  return digest.digest('hex');
}

/** Checks that the store takes, returns and removes files. */
export const probeStore = async (): Promise<void> => store.probe?.();

/**
 * Free space for uploads in bytes, without the part reserved for the database; undefined for a bucket, which
 * is unlimited.
 */
export const freeBlobSpace = (): Promise<number | undefined> => store.freeSpace();

/** Everything in the store, committed or not. */
export const listStored = (): ReturnType<BlobStore['list']> => store.list();
