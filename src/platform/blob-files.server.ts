import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, statfs, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { BlobStore } from './blobs.server.ts';
import { PortalError } from './errors.server.ts';

const GIGABYTE = 1024 ** 3;
/** Written to the disk in one go, and how much an upload may write until it looks at the free space again. */
const BATCH = 64 * 1024;
const STRETCH = 1024 * 1024;

/**
 * Blobs as files: temporary name, sync, rename, sync of the folder, and only then the row (architecture.md, Blobs). The last gigabyte of
 * the disk, or its last twentieth if that is less, is left to the database: uploads are refused with QUOTA while everything else goes on.
 */
export function fileStore(root: string): BlobStore {
  const incoming = path.join(root, 'incoming');
  const placeOf = (key: string): string => path.join(root, key.slice(0, 2), key);
  let ready: Promise<unknown> | undefined;
  let uploads = 0;
  /** Refuses when what all uploads may write until their next look would take from the database's part of the disk. */
  const look = (): Promise<void> => assertRoom(incoming, uploads * STRETCH);

  return {
    async put(key, chunks) {
      await (ready ??= mkdir(incoming, { recursive: true, mode: 0o700 }));
      const part = path.join(incoming, key);
      uploads += 1;
      try {
        await look();
        await store(part, placeOf(key), chunks, look);
      } finally {
        uploads -= 1;
      }
    },
    get: (key, range) => createReadStream(placeOf(key), { ...range, highWaterMark: 256 * 1024 }),
    remove: (key) => rm(placeOf(key), { force: true }),
    async *list() {
      for (const folder of await readdir(root).catch(() => [])) {
        for (const key of await readdir(path.join(root, folder))) {
          const found = await stat(path.join(root, folder, key)).catch(() => undefined); // somebody removed it meanwhile
          if (found) yield { key, size: found.size, modifiedAt: found.mtimeMs, unfinished: folder === 'incoming' };
        }
      }
    },
    abandon: (key) => rm(path.join(incoming, key), { force: true }),
    async room() {
      await (ready ??= mkdir(incoming, { recursive: true, mode: 0o700 }));
      return roomIn(incoming);
    },
  };
}

async function store(part: string, place: string, chunks: AsyncIterable<Buffer>, look: () => Promise<void>): Promise<void> {
  const file = await open(part, 'wx', 0o600);
  try {
    await writeAll(file, chunks, look);
    await file.datasync();
    await file.close();
    await keep(part, place);
  } catch (error) {
    await file.close().catch(() => undefined); // already closed: nothing to do
    await rm(part, { force: true });
    throw isDiskFull(error) ? new PortalError('QUOTA') : error;
  }
}

/** Writes while the next chunk is made ready. Small writes are the fast ones: their memory is still warm. */
async function writeAll(file: FileHandle, chunks: AsyncIterable<Buffer>, look: () => Promise<void>): Promise<void> {
  let batch: Buffer[] = [];
  let length = 0;
  let sinceLook = 0;
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const chunk of chunks) {
      batch.push(chunk);
      length += chunk.length;
      if (length < BATCH) continue;
      await writing;
      if (sinceLook + length > STRETCH) {
        await look();
        sinceLook = 0;
      }
      sinceLook += length;
      writing = writeBatch(file, batch, length);
      writing.catch(() => undefined); // told by the await of it
      batch = [];
      length = 0;
    }
  } finally {
    await writing;
  }
  await writeBatch(file, batch, length);
}

/** A full disk takes part of a write and says so only by the count. */
async function writeBatch(file: FileHandle, batch: Buffer[], length: number): Promise<void> {
  if (length === 0) return;
  const { bytesWritten } = await file.writev(batch);
  if (bytesWritten === length) return;
  const rest = Buffer.concat(batch).subarray(bytesWritten);
  for (let written = 0; written < rest.length; ) written += (await file.write(rest, written)).bytesWritten;
}

async function assertRoom(folder: string, aboutToBeWritten: number): Promise<void> {
  if ((await roomIn(folder)) < aboutToBeWritten) throw new PortalError('QUOTA');
}

async function roomIn(folder: string): Promise<number> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return bavail * bsize - Math.min(GIGABYTE, (blocks * bsize) / 20);
}

const isDiskFull = (error: unknown): boolean => error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT' || error.code === 'EFBIG');

async function keep(part: string, place: string): Promise<void> {
  const folder = path.dirname(place);
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  await rename(part, place);
  try {
    await syncFolder(folder);
    if (made) await syncFolder(path.dirname(folder));
  } catch (error) {
    await rm(place, { force: true }); // nobody is told of it, so nothing of it stays
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
