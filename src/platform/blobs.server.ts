import { createHash, randomBytes, randomUUID } from 'node:crypto';
import path from 'node:path';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { decryptFrames, encryptFrames, framesAround, storedSize } from './blob-frames.server.ts';
import { fileStore } from './blob-files.server.ts';
import { now } from './clock.server.ts';
import { config } from './config.server.ts';
import { db } from './database.server.ts';
import { PortalError } from './errors.server.ts';
import { sealFor, unsealFrom } from './sealed.server.ts';
import { changeSetting, setting } from './settings.server.ts';

/** Where bytes lie: a folder, or a bucket. It knows neither keys nor owners. */
export interface BlobStore {
  /** Stores the chunks under a new name, durable before it answers and visible only when whole; on any failure nothing is left behind. */
  put(key: string, chunks: AsyncIterable<Buffer>): Promise<void>;
  /** The bytes, or those from `start` to `end`, both inclusive. */
  get(key: string, range: { start: number; end: number }): AsyncIterable<Buffer>;
  remove(key: string): Promise<void>;
  /** Everything that lies there, finished or not. `modifiedAt` in epoch ms by the store's own clock. */
  list(): AsyncIterable<{ key: string; size: number; modifiedAt: number; unfinished: boolean }>;
  /** How many bytes may still come in; undefined where nobody can say. */
  room(): Promise<number | undefined>;
  /** Throws away what an interrupted {@link put} left. */
  abandon(key: string): Promise<void>;
}

/** What was stored, and is kept once {@link keepBlob} is committed: its name, and size, SHA-256 (hex) and CRC-32 of exactly the bytes that came in. */
export interface StoredBlob {
  key: string;
  size: number;
  sha256: string;
  crc32: number;
  wrappedKey: string;
}

const store = await openStore(config.blobUrl);

/** The store behind an `s3://` address, or the folder of files of this installation. */
async function openStore(url: string | undefined): Promise<BlobStore> {
  return url === undefined ? fileStore(path.join(config.dataDir, 'blobs')) : (await import('./blob-s3.server.ts')).s3Store(url);
}

const KEY = /^[0-9a-f-]{36}$/;

function assertKey(key: string): void {
  if (!KEY.test(key)) throw new Error('not a blob key');
}

/**
 * Stores a stream, encrypted and durable before it answers, a chunk at a time. `inspect` sees the first bytes (up to 4,100) before
 * anything is kept and may throw. More than `most` bytes: TOO_LARGE; no room: QUOTA. On any failure nothing is left behind. What is
 * stored belongs to nobody and is swept after an hour, unless it is kept.
 */
export async function putBlob(source: Readable, most: number, inspect: (head: Buffer) => void = () => undefined): Promise<StoredBlob> {
  const key = randomUUID();
  const secret = randomBytes(32);
  const measured = new Measured(source, most, inspect);
  await store.put(key, encryptFrames(measured.chunks(), secret, key));
  return { key, ...measured.result(), wrappedKey: sealFor('blobs.wrapped_key', key, secret.toString('base64')) };
}

/** Keeps what was stored, as part of the open transaction: whoever writes the row that owns it calls this beside it. */
export async function keepBlob({ key, size, wrappedKey }: StoredBlob): Promise<void> {
  await db().insertInto('blobs').values({ blob_key: key, size, wrapped_key: wrappedKey, created_at: now() }).execute();
}

/** Measures a stream on its way: size, digests, and the first bytes. */
class Measured {
  readonly #source: Readable;
  readonly #most: number;
  readonly #inspect: (head: Buffer) => void;
  readonly #digest = createHash('sha256');
  #size = 0;
  #crc = 0;

  constructor(source: Readable, most: number, inspect: (head: Buffer) => void) {
    this.#source = source;
    this.#most = most;
    this.#inspect = inspect;
  }

  async *chunks(): AsyncGenerator<Buffer, void> {
    let head: Buffer | undefined = Buffer.alloc(0);
    // A refusal leaves the rest of the stream to its owner: a part of a form must be read to its end before the next one comes.
    for await (const chunk of this.#source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      this.#size += chunk.length;
      if (this.#size > this.#most) throw new PortalError('TOO_LARGE', { most: this.#most });
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

/** So many first bytes tell what a file is. */
export const HEAD_BYTES = 4100;

/** The bytes of a blob that is kept, or of its range `start`–`end`, both inclusive. A byte that is not as it was stored ends the stream with an error. */
export function readBlob(key: string, range?: { start: number; end: number }): Readable {
  assertKey(key);
  return Readable.from(plainBytes(key, range), { objectMode: false });
}

async function* plainBytes(key: string, range: { start: number; end: number } | undefined): AsyncGenerator<Buffer, void> {
  const row = await db().selectFrom('blobs').select(['size', 'wrapped_key']).where('blob_key', '=', key).executeTakeFirst();
  if (!row) throw new Error(`the blob ${key} is not known`);
  const start = range?.start ?? 0;
  const end = Math.min(range?.end ?? Infinity, row.size - 1);
  if (end < start) return;
  if (row.wrapped_key === null) yield* store.get(key, { start, end });
  else yield* decryptFrames(store.get(key, framesAround(row.size, start, end)), unwrap(key, row.wrapped_key), key, start, end);
}

const unwrap = (key: string, wrapped: string): Buffer => Buffer.from(unsealFrom('blobs.wrapped_key', key, wrapped), 'base64');

/** Removes bytes that nobody came to own. */
export async function removeBlob(key: string): Promise<void> {
  assertKey(key);
  await store.remove(key);
}

/**
 * Gives up blobs that were kept, as part of the open transaction. Nobody can read them from then on, since their keys are gone; a sweep
 * takes the bytes away, at once when they are older than an hour and no backup runs.
 */
export async function forgetBlobs(keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await db().deleteFrom('blobs').where('blob_key', 'in', keys).execute();
}

const HOLD = 'sweeps-held-until';

/** Lets no sweep remove anything until then: a backup copies what it found. */
export const holdSweeps = (until: number): Promise<void> => changeSetting(HOLD, String(until));

/** Removes what an interrupted process left: what is older than `olderThan` and unfinished or kept by nobody. Nothing while a backup runs. */
export async function sweepBlobs(olderThan: number): Promise<number> {
  if (Number((await setting(HOLD)) ?? 0) > now()) return 0;
  let removed = 0;
  let old: string[] = [];
  const removeOrphans = async (): Promise<void> => {
    const rows = old.length === 0 ? [] : await db().selectFrom('blobs').select('blob_key').where('blob_key', 'in', old).execute();
    const kept = new Set(rows.map((row) => row.blob_key));
    const orphans = old.filter((key) => !kept.has(key));
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

/** The bytes as they lie there, encrypted, with the size that they must have; for copies, which need no key. Nothing is opened before they are read. */
export function storedBytes(key: string, size: number, encrypted: boolean): { size: number; bytes: AsyncIterable<Buffer> } {
  const stored = encrypted ? storedSize(size) : size;
  const read = async function* (): AsyncGenerator<Buffer, void> {
    if (stored > 0) yield* store.get(key, { start: 0, end: stored - 1 });
  };
  return { size: stored, bytes: read() };
}

/** Puts bytes back as {@link storedBytes} gave them, in place of what an interrupted try left. */
export async function putStored(key: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  await store.abandon(key);
  await store.put(key, bytes);
}

/** Copies every blob that is kept into another store, where it is not there yet, and reads it back to compare; answers how many, and those that are not alike. */
export async function moveBlobs(url: string): Promise<{ blobs: number; different: string[] }> {
  const target = await openStore(url);
  const there = new Map((await Array.fromAsync(target.list())).filter(({ unfinished }) => !unfinished).map(({ key, size }) => [key, size]));
  const kept = await db().selectFrom('blobs').select(['blob_key', 'size', 'wrapped_key']).execute();
  const different: string[] = [];
  for (const { blob_key: key, size, wrapped_key: wrapped } of kept) {
    const stored = storedBytes(key, size, wrapped !== null);
    if (there.get(key) !== stored.size) await target.put(key, stored.bytes);
    const [here, moved] = [await digestOf(storedBytes(key, size, wrapped !== null).bytes), await digestOf(target.get(key, { start: 0, end: stored.size - 1 }))];
    if (here !== moved) different.push(key);
  }
  return { blobs: kept.length, different };
}

async function digestOf(bytes: AsyncIterable<Buffer>): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of bytes) digest.update(chunk);
  return digest.digest('hex');
}

/** How many bytes may still come in before the rest is left to the database; undefined in a bucket, which has no end that we know. */
export const roomForBlobs = (): Promise<number | undefined> => store.room();

/** Everything that lies in the store, kept or not. */
export const listStored = (): ReturnType<BlobStore['list']> => store.list();
