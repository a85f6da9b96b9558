import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pauseSweepsUntil, listStored, storedBytes } from '../storage/blobs.server.ts';
import { HOUR, now } from '../runtime/clock.server.ts';
import { config } from '../runtime/config.server.ts';
import { keysFor, sha256 } from '../security/crypto.server.ts';
import { snapshotInto } from './database.server.ts';
import { openSqlite } from './sqlite.server.ts';
import { ConfigurationError } from '../runtime/startup.server.ts';
import { VERSION } from '../runtime/version.server.ts';

/*
 * A backup is a folder: portal.db (SQLite, whatever the engine), blobs/ (encrypted, as stored), VERSION of the
 * portal that made it, SHA256SUMS of these (readable by `sha256sum -c`) and SHA256SUMS.seal, an HMAC of the
 * sums that proves that the backup was made with this key.
 *
 * A backup into the same folder keeps the earlier one until it is complete: it adds blobs, and writes the other files
 * beside the earlier ones as `<name>.new`, the seal last. From then on these are the backup; they replace the earlier
 * ones, again the seal last, and blobs that only the earlier one needed are removed. Whatever is interrupted, the folder
 * holds one complete backup.
 */

const SUMS = 'SHA256SUMS';
const SEAL = 'SHA256SUMS.seal';
export const DATABASE = 'portal.db';
const VERSION_FILE = 'VERSION';
/** The files of which a folder may have those of two backups, in the order in which the later ones replace the earlier. */
const REPLACED = [VERSION_FILE, DATABASE, SUMS, SEAL];
/** Those of a complete later backup count, as far as they have not replaced the earlier ones yet. */
const SUFFIXES = ['.new', ''];
const MAX_DURATION = 12 * HOUR;

/** The path of a blob within a backup. */
export const blobPathInBackup = (key: string): string => `blobs/${key.slice(0, 2)}/${key}`;

/**
 * The result of {@link makeBackup}: blobs in the backup, blobs copied by this run, total bytes, and blobs
 * missing from the store.
 */
export interface BackupResult {
  blobs: number;
  copied: number;
  bytes: number;
  missing: string[];
}

/**
 * Backs up the running portal to `folder`. In the folder of an earlier backup it copies only what is new or
 * differs. The database and the blobs are from the same moment.
 */
export async function makeBackup(folder: string): Promise<BackupResult> {
  await assertUsableTarget(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replaceEarlier(folder); // of a backup that was interrupted after it was complete
  // no complete backup, or made with another key: copy everything
  const known = await sumsIn(folder).catch(() => new Map<string, string>());
  // marks the folder as a backup's
  if (!existsSync(path.join(folder, SUMS))) await write(path.join(folder, SUMS), '');
  for (const name of REPLACED) await removeWithJournals(path.join(folder, `${name}.new`));
  await pauseSweepsUntil(now() + MAX_DURATION);
  try {
    const database = path.join(folder, `${DATABASE}.new`);
    await snapshotInto(database);
    await sync(database);
    const blobs = await blobsIn(database);
    const made = await copyBlobs(folder, blobs, known);
    await write(path.join(folder, `${VERSION_FILE}.new`), `${VERSION}\n`);
    const sums = await Promise.all(
      [DATABASE, VERSION_FILE].map(
        async (name) => `${await digestOf(path.join(folder, `${name}.new`))}  ${name}\n`,
      ),
    );
    const text = [...sums, ...made.sums].join('');
    await write(path.join(folder, `${SUMS}.new`), text);
    await sync(folder);
    await write(path.join(folder, `${SEAL}.new`), sealsOf(Buffer.from(text))[0] ?? '');
    await sync(folder);
    await replaceEarlier(folder);
    await removeStaleBlobs(folder, new Set(blobs.map(({ key }) => key)));
    return made;
  } finally {
    await pauseSweepsUntil(0);
  }
}

/** Replaces the files of the earlier backup by those of a later one, if that is complete. */
async function replaceEarlier(folder: string): Promise<void> {
  if (!(await isSealed(folder, '.new'))) return;
  for (const name of REPLACED) {
    const [later, earlier] = [path.join(folder, `${name}.new`), path.join(folder, name)];
    if (!existsSync(later)) continue; // it has replaced the earlier one already
    await removeJournals(earlier);
    await rename(later, earlier);
    await sync(folder);
  }
}

/** When the complete backup in a folder was made; undefined if it holds none. */
export async function timeOfBackup(folder: string): Promise<Date | undefined> {
  for (const suffix of SUFFIXES)
    if (await isSealed(folder, suffix)) return (await stat(path.join(folder, SEAL + suffix))).mtime;
  return undefined;
}

/** Refuses a folder with other content, which would be overwritten. */
async function assertUsableTarget(folder: string): Promise<void> {
  if (!path.relative(config.dataDir, folder).startsWith('..'))
    throw new ConfigurationError(
      `${folder} is inside DATA_DIR: the backup would be lost with it. Choose a folder elsewhere, preferably on another disk.`,
    );
  const names: string[] = await readdir(folder).catch(() => []); // the folder does not exist yet
  if (names.length > 0 && !names.includes(SUMS))
    throw new ConfigurationError(
      `${folder} contains other files. Choose an empty or new folder, or one of an earlier backup.`,
    );
}

/** Updates the blobs of a backup. `sums` are their lines of SHA256SUMS. */
async function copyBlobs(
  folder: string,
  blobs: { key: string; size: number; encrypted: boolean }[],
  known: ReadonlyMap<string, string>,
): Promise<BackupResult & { sums: string[] }> {
  const sizesInStore = new Map<string, number>();
  for await (const { key, size, unfinished } of listStored()) if (!unfinished) sizesInStore.set(key, size);
  const made: BackupResult & { sums: string[] } = { blobs: 0, copied: 0, bytes: 0, missing: [], sums: [] };
  const folders = new Set([path.join(folder, 'blobs')]);
  for (const { key, size, encrypted } of blobs) {
    const stored = storedBytes(key, size, encrypted);
    if (sizesInStore.get(key) !== stored.size) {
      made.missing.push(key);
      continue;
    }
    const name = blobPathInBackup(key);
    const file = path.join(folder, name);
    // the file was removed
    let sum = known.has(name) ? await digestOf(file).catch(() => undefined) : undefined;
    if (sum === undefined || sum !== known.get(name)) {
      sum = await copy(stored.bytes, file);
      made.copied += 1;
      folders.add(path.dirname(file));
    }
    made.blobs += 1;
    made.bytes += stored.size;
    made.sums.push(`${sum}  ${name}\n`);
  }
  for (const each of folders) if (existsSync(each)) await sync(each);
  return made;
}

/**
 * Verifies a backup; throws when it is incomplete or made with another key. Returns a sentence for each bad
 * file.
 */
export async function checkBackup(folder: string): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, sum] of await sumsIn(folder)) {
    // missing or unreadable
    const found = await digestOf(await fileInBackup(folder, name)).catch(() => undefined);
    if (found !== sum)
      faults.push(`${name} ${found === undefined ? 'is missing' : 'has changed since the backup'}`);
  }
  return faults;
}

/** The id of a backup. */
export const idOfBackup = async (folder: string): Promise<string> =>
  sha256(await readFile(await fileInBackup(folder, SUMS))).slice(0, 16);

/** The version of the portal that made a backup; undefined for one from before backups said so. */
export async function versionOfBackup(folder: string): Promise<string | undefined> {
  const file = await fileInBackup(folder, VERSION_FILE);
  return existsSync(file) ? (await readFile(file, 'utf8')).trim() : undefined;
}

/** The file of a backup that `name` means, also in a folder where a later backup has not replaced the earlier yet. */
export async function fileInBackup(folder: string, name: string): Promise<string> {
  const later = path.join(folder, `${name}.new`);
  return REPLACED.includes(name) && existsSync(later) && (await isSealed(folder, '.new'))
    ? later
    : path.join(folder, name);
}

/** The checksums of a complete backup made with this key, by file. */
async function sumsIn(folder: string): Promise<Map<string, string>> {
  const [sums, seal] = [await fileInBackup(folder, SUMS), await fileInBackup(folder, SEAL)];
  if (!existsSync(seal) || !existsSync(sums))
    throw new ConfigurationError(
      `${folder} is not a complete backup: ${SEAL} is missing. Choose a folder for which npm run backup has finished.`,
    );
  const text = await readFile(sums);
  if (!isSealOf(await readFile(seal), text))
    throw new ConfigurationError(
      `The checksums of ${folder} were changed, or the backup was made with another key. Set KEY_FILE to the key file that was used then.`,
    );
  const lines = text.toString().split('\n').filter(Boolean);
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

/** The blobs with bytes of their own that the database of a backup references. */
async function blobsIn(file: string): Promise<{ key: string; size: number; encrypted: boolean }[]> {
  const database = openSqlite(file);
  try {
    // all columns: a database that has not been migrated yet has none for parts
    const rows = await database.selectFrom('blobs').selectAll().orderBy('blob_key').execute();
    return rows
      .filter((row) => ((row.part_count as number | undefined) ?? 0) === 0)
      .map((row) => ({ key: row.blob_key, size: row.size, encrypted: row.wrapped_key !== null }));
  } finally {
    await database.destroy();
    await removeJournals(file);
  }
}

/**
 * The content of the seal file, for each key of KEY_FILE, newest first: backups from before a key rotation
 * stay valid.
 */
const sealsOf = (sums: Buffer): string[] =>
  keysFor('backup').map((key) => `${createHmac('sha256', key).update(sums).digest('hex')}\n`);

const isSealOf = (seal: Buffer, sums: Buffer): boolean =>
  sealsOf(sums).some((own) => own.length === seal.length && timingSafeEqual(Buffer.from(own), seal));

/**
 * Whether a folder holds the checksums and seal of a complete backup, under their own names or as a later one's. After
 * the checksums of a later one have taken the place of the earlier ones, its seal is still to follow.
 */
async function isSealed(folder: string, suffix: string): Promise<boolean> {
  const seal = await readFile(path.join(folder, SEAL + suffix)).catch(() => undefined); // there is none
  if (!seal) return false;
  for (const name of new Set([SUMS + suffix, SUMS])) {
    const sums = await readFile(path.join(folder, name)).catch(() => undefined); // there are none
    if (sums && isSealOf(seal, sums)) return true;
  }
  return false;
}

const JOURNALS = ['-wal', '-shm', '-journal'];

export async function removeWithJournals(file: string): Promise<void> {
  await rm(file, { force: true });
  await removeJournals(file);
}

/** A leftover journal would be applied to the next file of that name. */
async function removeJournals(file: string): Promise<void> {
  for (const journal of JOURNALS) await rm(file + journal, { force: true });
}

async function digestOf(file: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>)
    digest.update(chunk);
  return digest.digest('hex');
}

/** Returns the digest of the bytes written. */
async function copy(bytes: AsyncIterable<Buffer>, target: string): Promise<string> {
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
  const digest = createHash('sha256');
  const file = await open(`${target}.new`, 'w', 0o600);
  try {
    for await (const chunk of bytes) {
      digest.update(chunk);
      await file.writeFile(chunk);
    }
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(`${target}.new`, target);
  return digest.digest('hex');
}

async function write(target: string, text: string): Promise<void> {
  const file = await open(target, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Flushes a file or a directory to disk. */
async function sync(target: string): Promise<void> {
  const file = await open(target, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Removes blobs that no longer exist in the portal. */
async function removeStaleBlobs(folder: string, keys: ReadonlySet<string>): Promise<void> {
  const root = path.join(folder, 'blobs');
  for (const part of await readdir(root).catch(() => [])) {
    for (const name of await readdir(path.join(root, part)))
      if (!keys.has(name)) await rm(path.join(root, part, name), { force: true });
  }
}
