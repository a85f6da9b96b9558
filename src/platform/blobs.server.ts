import { createHash, randomBytes, randomUUID } from 'node:crypto';
import path from 'node:path';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { decryptFrames, encryptFrames, framesAround, storedSize } from './blob-frames.server.ts';
import { fileStore } from './blob-files.server.ts';
import { now } from './clock.server.ts';
import { config } from './config.server.ts';
import { sha256 } from './crypto.server.ts';
import { db, inBatches, inTransaction, withoutSync } from './database.server.ts';
import { damaged, PortalError, refusal, unlessStorageIsFull } from './errors.server.ts';
import { defineEvent } from './events.server.ts';
import { log } from './log.server.ts';
import { encryptFor, decryptFrom } from './encryption.server.ts';
import { changeSetting, setting } from './settings.server.ts';

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
  wrappedKey: string;
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
 * one folder, so that many at once share its syncs.
 */
export async function putBlob(
  source: Readable,
  maxBytes: number,
  inspect: (head: Buffer) => void = () => undefined,
  { group }: { group?: string } = {},
): Promise<StoredBlob> {
  const key = group === undefined ? randomUUID() : sha256(group).slice(0, 2) + randomUUID().slice(2);
  const secret = randomBytes(32);
  const measured = new MeasuredStream(source, maxBytes, inspect);
  await store.put(key, encryptFrames(measured.chunks(), secret, key));
  return {
    key,
    ...measured.result(),
    wrappedKey: encryptFor('blobs.wrapped_key', key, secret.toString('base64')),
  };
}

/** Commits a stored blob, as part of the open transaction that also writes the row that owns it. */
export const commitBlob = (blob: StoredBlob): Promise<void> => commitBlobs([blob]);

/** Commits up to some hundred blobs, as {@link commitBlob}. */
export async function commitBlobs(blobs: readonly StoredBlob[]): Promise<void> {
  const instant = now();
  await db()
    .insertInto('blobs')
    .values(
      blobs.map(({ key, size, wrappedKey }) => ({
        blob_key: key,
        size,
        wrapped_key: wrappedKey,
        created_at: instant,
        checked_at: instant,
      })),
    )
    .execute();
}

/** Computes size and digests of a stream while it passes, and inspects its first bytes. */
class MeasuredStream {
  readonly #source: Readable;
  readonly #maxBytes: number;
  readonly #inspect: (head: Buffer) => void;
  readonly #digest = createHash('sha256');
  #size = 0;
  #crc = 0;

  constructor(source: Readable, maxBytes: number, inspect: (head: Buffer) => void) {
    this.#source = source;
    this.#maxBytes = maxBytes;
    this.#inspect = inspect;
  }

  async *chunks(): AsyncGenerator<Buffer, void> {
    let head: Buffer | undefined = Buffer.alloc(0);
    // Leaves the stream open after a refusal: a part of a form must be drained before the next one arrives.
    for await (const chunk of this.#source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      this.#size += chunk.length;
      if (this.#size > this.#maxBytes) throw new PortalError('TOO_LARGE', { most: this.#maxBytes });
      if (head) {
        head = Buffer.concat([head, chunk]);
        if (head.length >= HEAD_BYTES) {
          this.#inspect(head.subarray(0, HEAD_BYTES));
          head = undefined;
        }
      }
      this.#digest.update(chunk);
      this.#crc = crc32(chunk, this.#crc);
      yield chunk;
    }
    if (head) this.#inspect(head);
  }

  result(): { size: number; sha256: string; crc32: number } {
    return { size: this.#size, sha256: this.#digest.digest('hex'), crc32: this.#crc };
  }
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

async function* plainBytes(
  key: string,
  range: { start: number; end: number } | undefined,
): AsyncGenerator<Buffer, void> {
  const row = await db()
    .selectFrom('blobs')
    .select(['size', 'wrapped_key', 'damaged_at'])
    .where('blob_key', '=', key)
    .executeTakeFirst();
  if (!row) throw new Error(`unknown blob ${key}`);
  const start = range?.start ?? 0;
  const end = Math.min(range?.end ?? Infinity, row.size - 1);
  if (end < start) return;
  const secret = row.wrapped_key === null ? undefined : unwrap(key, row.wrapped_key);
  const read = (from: number, to: number): AsyncIterable<Buffer> =>
    secret === undefined
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

/** Sets or clears the mark of a blob. A failure is logged only: what was being read matters more. */
async function markDamage(key: string, at: number | null): Promise<void> {
  const mark = async (): Promise<void> => {
    const marked = await db()
      .updateTable('blobs')
      .set({ damaged_at: at })
      .where('blob_key', '=', key)
      .where('damaged_at', at === null ? 'is not' : 'is', null)
      .returning('blob_key')
      .executeTakeFirst();
    if (marked) await (at === null ? blobRepaired : blobDamaged).announce({ key });
  };
  await unlessStorageIsFull(() => inTransaction(mark)).catch((error: unknown) =>
    log.error({ err: error, event: 'blob.mark-failed', blob: key }),
  );
}

/** How much is read through at a time. */
const CHECKED_AT_ONCE = 50 * 1024 ** 2;
const MAX_CHECKED = 1000;

/**
 * Reads through blobs that were not checked for longest, so that damage is noticed while there are still backups
 * of the file. Returns their number.
 */
export async function checkBlobs(maxBytes = CHECKED_AT_ONCE): Promise<number> {
  const oldest = await db()
    .selectFrom('blobs')
    .select(['blob_key', 'size'])
    .orderBy('checked_at')
    .limit(MAX_CHECKED)
    .execute();
  let left = maxBytes;
  const checked: string[] = [];
  try {
    for (const { blob_key: key, size } of oldest) {
      if (left <= 0) break;
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

/** True when the store responds but lacks the bytes, or its disk cannot read them. */
function isMissing(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, status } = error as { code?: unknown; status?: unknown };
  return code === 'ENOENT' || code === 'EIO' || status === 404 || status === 416;
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
  if (keys.length > 0) await db().deleteFrom('blobs').where('blob_key', 'in', keys).execute();
}

const SWEEPS_PAUSED_UNTIL = 'sweeps-held-until';

/** Pauses sweeps until `until` (epoch ms), so that a backup can copy the blobs it listed. */
export const pauseSweepsUntil = (until: number): Promise<void> =>
  changeSetting(SWEEPS_PAUSED_UNTIL, String(until));

/**
 * Removes blobs older than `olderThan` that are incomplete or not committed. Does nothing while a backup
 * runs.
 */
export async function sweepBlobs(olderThan: number): Promise<number> {
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
  const committed = await db().selectFrom('blobs').select(['blob_key', 'size', 'wrapped_key']).execute();
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

/**
 * Free space for uploads in bytes, without the part reserved for the database; undefined for a bucket, which
 * is unlimited.
 */
export const freeBlobSpace = (): Promise<number | undefined> => store.freeSpace();

/** Everything in the store, committed or not. */
export const listStored = (): ReturnType<BlobStore['list']> => store.list();
