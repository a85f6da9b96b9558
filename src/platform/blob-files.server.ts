import { closeSync, createReadStream, fdatasync, open, writev } from 'node:fs';
import { mkdir, open as openHandle, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { BlobStore } from './blobs.server.ts';
import { PortalError } from './errors.server.ts';

const GIGABYTE = 1024 ** 3;
/** Size of one disk write, and how much an upload may write before free space is checked again. */
const BATCH = 256 * 1024;
const CHECK_INTERVAL = 1024 * 1024;
/** How long a reading of the free space is used at most, in ms. */
const MAX_AGE = 100;

/**
 * Blobs as files: written under a temporary name, synced, renamed, and the folder synced, before the database
 * row is written. The last gigabyte of the disk (or its last 5 %, if less) is reserved for the database:
 * uploads are refused with QUOTA while everything else keeps working.
 */
export function fileStore(root: string): BlobStore {
  const incoming = path.join(root, 'incoming');
  const pathOf = (key: string): string => path.join(root, key.slice(0, 2), key);
  let ready: Promise<unknown> | undefined;
  let uploads = 0;
  let free = { bytes: 0, readAt: -Infinity };
  let reading: Promise<void> | undefined;
  /** What all uploads may have written since the free space was read. */
  let written = 0;
  const readSpace = async (): Promise<void> => {
    try {
      written = 0;
      free = { bytes: await freeSpaceIn(incoming), readAt: performance.now() };
    } finally {
      reading = undefined;
    }
  };
  /** Refuses when the uploads in flight could use up the reserved space before their next check. */
  const checkSpace = async (bytes: number): Promise<void> => {
    if (written + bytes > CHECK_INTERVAL || performance.now() - free.readAt > MAX_AGE)
      await (reading ??= readSpace());
    if (free.bytes - written < uploads * CHECK_INTERVAL) throw new PortalError('QUOTA');
    written += bytes;
  };

  return {
    async put(key, chunks) {
      await (ready ??= mkdir(incoming, { recursive: true, mode: 0o700 }));
      const part = path.join(incoming, key);
      uploads += 1;
      try {
        await checkSpace(BATCH);
        await store(part, pathOf(key), chunks, checkSpace);
      } finally {
        uploads -= 1;
      }
    },
    get: (key, range) => createReadStream(pathOf(key), { ...range, highWaterMark: 256 * 1024 }),
    remove: (key) => rm(pathOf(key), { force: true }),
    async *list() {
      for (const folder of await readdir(root).catch(() => [])) {
        for (const key of await readdir(path.join(root, folder))) {
          // removed in the meantime
          const found = await stat(path.join(root, folder, key)).catch(() => undefined);
          if (found)
            yield { key, size: found.size, modifiedAt: found.mtimeMs, unfinished: folder === 'incoming' };
        }
      }
    },
    abandon: (key) => rm(path.join(incoming, key), { force: true }),
    async freeSpace() {
      await (ready ??= mkdir(incoming, { recursive: true, mode: 0o700 }));
      return freeSpaceIn(incoming);
    },
  };
}

/*
 * The calls with plain descriptors: a file that is synced is closed at once, without waking another thread, which
 * would cost more than the call itself when many files are stored.
 */
const openFile = promisify(open);
const writeBuffers = promisify(writev);
const syncFile = promisify(fdatasync);

async function store(
  part: string,
  target: string,
  chunks: AsyncIterable<Buffer>,
  checkSpace: (bytes: number) => Promise<void>,
): Promise<void> {
  const file = await openFile(part, 'wx', 0o600);
  try {
    try {
      await writeAll(file, chunks, checkSpace);
      await syncFile(file);
    } finally {
      closeSync(file);
    }
    await moveIntoPlace(part, target);
  } catch (error) {
    await rm(part, { force: true });
    throw isDiskFull(error) ? new PortalError('QUOTA') : error;
  }
}

/** Writes a batch while the next chunk is read. Small writes are faster: their memory is still cached. */
async function writeAll(
  file: number,
  chunks: AsyncIterable<Buffer>,
  checkSpace: (bytes: number) => Promise<void>,
): Promise<void> {
  let batch: Buffer[] = [];
  let length = 0;
  let sinceCheck = 0;
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const chunk of chunks) {
      batch.push(chunk);
      length += chunk.length;
      if (length < BATCH) continue;
      await writing;
      if (sinceCheck + length > CHECK_INTERVAL) {
        await checkSpace(sinceCheck);
        sinceCheck = 0;
      }
      sinceCheck += length;
      writing = writeBatch(file, batch, length);
      writing.catch(() => undefined); // reported where it is awaited
      batch = [];
      length = 0;
    }
  } finally {
    await writing;
  }
  await writeBatch(file, batch, length);
}

/** On a full disk a write may be partial, which only the byte count shows. */
async function writeBatch(file: number, batch: Buffer[], length: number): Promise<void> {
  if (length === 0) return;
  let { bytesWritten: written } = await writeBuffers(file, batch);
  const all = written === length ? undefined : Buffer.concat(batch);
  while (all && written < length) written += (await writeBuffers(file, [all.subarray(written)])).bytesWritten;
}

async function freeSpaceIn(folder: string): Promise<number> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return bavail * bsize - Math.min(GIGABYTE, (blocks * bsize) / 20);
}

const isDiskFull = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ENOSPC' || error.code === 'EDQUOT' || error.code === 'EFBIG');

async function moveIntoPlace(part: string, target: string): Promise<void> {
  const folder = path.dirname(target);
  const created = await renameInto(folder, part, target);
  try {
    await syncShared(folder);
    if (created) await syncShared(path.dirname(folder));
  } catch (error) {
    await rm(target, { force: true }); // the caller gets an error, so nothing may be left behind
    throw error;
  }
}

/** Creates the folder if it is missing, and returns whether it did. */
async function renameInto(folder: string, part: string, target: string): Promise<boolean> {
  try {
    await rename(part, target);
    return false;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await rename(part, target);
  return true;
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** The running sync of each folder, and the one that follows it. */
const syncing = new Map<string, Promise<void>>();
const following = new Map<string, Promise<void>>();

/** Syncs a folder. All who ask while it is being synced share the next sync, which covers their files. */
function syncShared(folder: string): Promise<void> {
  const begin = (): Promise<void> => {
    const sync = syncFolder(folder).finally(() => syncing.delete(folder));
    syncing.set(folder, sync);
    return sync;
  };
  const shared = following.get(folder);
  if (shared) return shared;
  const running = syncing.get(folder);
  if (!running) return begin();
  const next = running
    .catch(() => undefined) // reported to those who share that one
    .then(() => {
      following.delete(folder);
      return begin();
    });
  following.set(folder, next);
  return next;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await openHandle(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
