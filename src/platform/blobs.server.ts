import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { config } from './config.server.ts';
import { PortalError } from './errors.server.ts';

/** What was stored: its key, and size, SHA-256 (hex) and CRC-32 of exactly the bytes that came in. */
export interface StoredBlob {
  key: string;
  size: number;
  sha256: string;
  crc32: number;
}

const root = path.join(config.dataDir, 'blobs');
const incoming = path.join(root, 'incoming');
const KEY = /^[0-9a-f-]{36}$/;

const placeOf = (key: string): string => {
  if (!KEY.test(key)) throw new Error('not a blob key');
  return path.join(root, key.slice(0, 2), key);
};

/**
 * Stores a stream, durable before it answers: temporary name, sync, rename, sync of the folder (architecture.md, Blobs). At most one
 * chunk is in memory. `inspect` sees the first bytes (up to 4,100) before anything is kept and may throw. More than `most` bytes:
 * TOO_LARGE. On any failure nothing is left behind.
 */
export async function putBlob(source: Readable, most: number, inspect: (head: Buffer) => void = () => undefined): Promise<StoredBlob> {
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  const key = randomUUID();
  const part = path.join(incoming, key);
  const file = await open(part, 'wx', 0o600);
  const digest = createHash('sha256');
  let size = 0;
  let crc = 0;
  try {
    let head: Buffer | undefined = Buffer.alloc(0);
    // A refusal leaves the rest of the stream to its owner: a part of a form must be read to its end before the next one comes.
    for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > most) throw new PortalError('TOO_LARGE', { most });
      if (head) {
        head = Buffer.concat([head, chunk]);
        if (head.length >= HEAD_BYTES) {
          inspect(head.subarray(0, HEAD_BYTES));
          head = undefined;
        }
      }
      digest.update(chunk);
      crc = crc32(chunk, crc);
      await writeAll(file, chunk);
    }
    if (head) inspect(head);
    await file.datasync();
    await file.close();
    await keep(part, placeOf(key));
  } catch (error) {
    await file.close().catch(() => undefined); // already closed: nothing to do
    await rm(part, { force: true });
    throw isDiskFull(error) ? new PortalError('QUOTA') : error;
  }
  return { key, size, sha256: digest.digest('hex'), crc32: crc };
}

/** A full disk takes part of a chunk and says so only by the count. */
async function writeAll(file: FileHandle, chunk: Buffer): Promise<void> {
  for (let written = 0; written < chunk.length; ) written += (await file.write(chunk, written)).bytesWritten;
}

const HEAD_BYTES = 4100;

const isDiskFull = (error: unknown): boolean => error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT' || error.code === 'EFBIG');

async function keep(part: string, place: string): Promise<void> {
  const folder = path.dirname(place);
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  await rename(part, place);
  await syncFolder(folder);
  if (made) await syncFolder(path.dirname(folder));
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The bytes of a blob, or of its range `start`–`end`, both inclusive. */
export function readBlob(key: string, range?: { start: number; end: number }): Readable {
  return createReadStream(placeOf(key), range);
}

export async function removeBlob(key: string): Promise<void> {
  await rm(placeOf(key), { force: true });
}

/** Removes what an interrupted process left: unfinished parts, and blobs older than `olderThan` that `isKnown` does not know. */
export async function sweepBlobs(olderThan: number, isKnown: (key: string) => Promise<boolean>): Promise<number> {
  let removed = 0;
  for (const folder of await readdir(root).catch(() => [])) {
    for (const key of await readdir(path.join(root, folder))) {
      const file = path.join(root, folder, key);
      const found = await stat(file).catch(() => undefined); // somebody removed it meanwhile
      if (!found || found.mtimeMs >= olderThan || (folder !== 'incoming' && (await isKnown(key)))) continue;
      await rm(file, { force: true });
      removed += 1;
    }
  }
  return removed;
}
