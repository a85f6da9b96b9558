import { closeSync, constants, createReadStream, fdatasync, open, writev } from 'node:fs';
import { mkdir, open as openHandle, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { BlobStore } from './blobs.server.ts';
import { PortalError } from '../runtime/errors.server.ts';
import { SharedSync } from './shared-sync.server.ts';

const GIGABYTE = 1024 ** 3;
/** Size of one disk write, and how much an upload may write before free space is checked again. */
const BATCH = 256 * 1024;
const CHECK_INTERVAL = 1024 * 1024;
/** How long a reading of the free space is used at most, in ms. */
const MAX_AGE = 100;
/** While so many bytes are being written, no more are read. */
const MAX_PENDING = 8 * 1024 * 1024;

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
    const isShort = (): boolean => free.bytes - written < uploads * CHECK_INTERVAL;
    if (isShort()) await (reading ??= readSpace()); // space may have been freed since
    if (isShort()) throw new PortalError('QUOTA');
    written += bytes;
  };

  const syncs = new Map<string, SharedSync>();
  const syncOf = (folder: string): SharedSync => {
    const sync = syncs.get(folder) ?? new SharedSync(() => syncFolder(folder));
    syncs.set(folder, sync);
    return sync;
  };
  const store = async (key: string, chunks: AsyncIterable<Buffer>): Promise<void> => {
    const part = path.join(incoming, key);
    const target = pathOf(key);
    let left: string | undefined;
    try {
      await syncOf(path.dirname(target)).after(async () => {
        await writeFile(part, chunks, checkSpace);
        left = part;
        const isNewFolder = await renameInto(part, target);
        left = target;
        if (isNewFolder) await syncFolder(root);
      });
    } catch (error) {
      if (left !== undefined) await rm(left, { force: true }); // the caller gets an error
      throw isDiskFull(error) ? new PortalError('QUOTA') : error;
    }
  };

  return {
    async put(key, chunks) {
      await (ready ??= mkdir(incoming, { recursive: true, mode: 0o700 }));
      uploads += 1;
      try {
        await checkSpace(BATCH);
        await store(key, chunks);
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

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
/** Linux: a write with it includes the sync, which saves waking a thread. The sync of macOS does more than this. */
const WITH_SYNC = process.platform === 'linux' ? constants.O_DSYNC : 0;

/** Writes a new file and syncs it. Leaves nothing on failure. */
async function writeFile(
  part: string,
  chunks: AsyncIterable<Buffer>,
  checkSpace: (bytes: number) => Promise<void>,
): Promise<void> {
  let file: number | undefined;
  let isSynced = false;
  let sinceCheck = 0;
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const { buffers, length, isLast } of batchesOf(chunks)) {
      await writing;
      if (file === undefined) {
        isSynced = isLast && length > 0 && WITH_SYNC !== 0;
        file = await openFile(part, isSynced ? NEW | WITH_SYNC : NEW, 0o600);
      }
      if (sinceCheck + length > CHECK_INTERVAL) {
        await checkSpace(sinceCheck);
        sinceCheck = 0;
      }
      sinceCheck += length;
      writing = writeBatch(file, buffers, length);
      writing.catch(() => undefined); // reported where it is awaited
    }
    await writing;
    if (file !== undefined && !isSynced) await syncFile(file);
  } catch (error) {
    await writing.catch(() => undefined);
    if (file !== undefined) await rm(part, { force: true });
    throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

interface Batch {
  buffers: Buffer[];
  length: number;
  isLast: boolean;
}

/** Joins chunks to writes of about {@link BATCH}; small ones are faster than larger ones, as their memory is still cached. */
async function* batchesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Batch, void> {
  let buffers: Buffer[] = [];
  let length = 0;
  await waitForWrites();
  for await (const chunk of chunks) {
    if (length >= BATCH) {
      yield { buffers, length, isLast: false };
      buffers = [];
      length = 0;
    }
    buffers.push(chunk);
    length += chunk.length;
    if (pendingBytes > MAX_PENDING) await waitForWrites();
  }
  yield { buffers, length, isLast: true };
}

/** The bytes of all writes in progress, and the callbacks of readers that are paused until there are fewer. */
let pendingBytes = 0;
let pausedReaders: (() => void)[] = [];

async function waitForWrites(): Promise<void> {
  while (pendingBytes > MAX_PENDING) await new Promise<void>((resolve) => pausedReaders.push(resolve));
}

async function writeBatch(file: number, buffers: Buffer[], length: number): Promise<void> {
  pendingBytes += length;
  try {
    await writeAll(file, buffers, length);
  } finally {
    pendingBytes -= length;
    if (pendingBytes <= MAX_PENDING) {
      const resumed = pausedReaders;
      pausedReaders = [];
      for (const resume of resumed) resume();
    }
  }
}

/** On a full disk a write may be partial, which only the byte count shows. */
async function writeAll(file: number, batch: Buffer[], length: number): Promise<void> {
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

/** Creates the folder if it is missing, and returns whether it did. */
async function renameInto(part: string, target: string): Promise<boolean> {
  try {
    await rename(part, target);
    return false;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
  await rename(part, target);
  return true;
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

async function syncFolder(folder: string): Promise<void> {
  const handle = await openHandle(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
