import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { holdSweeps, listStored, storedBytes } from './blobs.server.ts';
import { HOUR, now } from './clock.server.ts';
import { config } from './config.server.ts';
import { keysFor, sha256 } from './crypto.server.ts';
import { snapshotInto } from './database.server.ts';
import { openSqlite } from './sqlite.server.ts';
import { ConfigurationError } from './startup.server.ts';

/*
 * A backup is a folder: portal.db (SQLite, whatever the engine), blobs/ (encrypted, as they lie in the store), SHA256SUMS of both (which
 * `sha256sum -c` reads too) and SHA256SUMS.seal, a keyed digest of the sums: with it, only who has the key can have made the backup.
 */

const SUMS = 'SHA256SUMS';
const SEAL = 'SHA256SUMS.seal';
export const DATABASE = 'portal.db';
const LONGEST = 12 * HOUR;

/** Where a blob stands in a backup. */
export const placeInBackup = (key: string): string => `blobs/${key.slice(0, 2)}/${key}`;

/** What {@link makeBackup} wrote: how many blobs the backup holds, how many of them were copied now, their bytes, and the blobs that the store has lost. */
export interface MadeBackup {
  blobs: number;
  copied: number;
  bytes: number;
  missing: string[];
}

/**
 * Makes a backup of the running portal in `folder`, new or of an earlier backup: then only what is new is copied, and what is not as it
 * was written then. Everything is as it was at one moment.
 */
export async function makeBackup(folder: string): Promise<MadeBackup> {
  await assertMayHold(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const known = await sumsIn(folder).catch(() => new Map<string, string>()); // no whole backup, or one of another key: all is copied
  if (!existsSync(path.join(folder, SUMS))) await write(path.join(folder, SUMS), ''); // from now on this folder is known as a backup's
  for (const file of [SEAL, `${DATABASE}.new`]) await removeWithJournals(path.join(folder, file)); // until it is whole again, it is none
  await holdSweeps(now() + LONGEST);
  try {
    await snapshotInto(path.join(folder, `${DATABASE}.new`));
    await sync(path.join(folder, `${DATABASE}.new`));
    await removeWithJournals(path.join(folder, DATABASE));
    await rename(path.join(folder, `${DATABASE}.new`), path.join(folder, DATABASE));
    const made = await copyBlobs(folder, await blobsIn(path.join(folder, DATABASE)), known);
    const text = [`${await digestOf(path.join(folder, DATABASE))}  ${DATABASE}\n`, ...made.sums].join('');
    await write(path.join(folder, SUMS), text);
    await sync(folder);
    await write(path.join(folder, SEAL), sealsOf(Buffer.from(text))[0] ?? '');
    await sync(folder);
    return made;
  } finally {
    await holdSweeps(0);
  }
}

/** Refuses to write where something else lies: it would be overwritten. */
async function assertMayHold(folder: string): Promise<void> {
  if (!path.relative(config.dataDir, folder).startsWith('..')) throw new ConfigurationError(`${folder} is part of DATA_DIR: a backup in there would be lost with it. Give a folder elsewhere, best on another disk.`);
  const names: string[] = await readdir(folder).catch(() => []); // there is no such folder yet
  if (names.length > 0 && !names.includes(SUMS)) throw new ConfigurationError(`${folder} holds other things. Give an empty folder, a new one, or that of an earlier backup.`);
}

/** Brings the blobs of a backup up to date; each with its line for the sums. */
async function copyBlobs(folder: string, blobs: { key: string; size: number; encrypted: boolean }[], known: ReadonlyMap<string, string>): Promise<MadeBackup & { sums: string[] }> {
  const lying = new Map<string, number>();
  for await (const { key, size, unfinished } of listStored()) if (!unfinished) lying.set(key, size);
  const made: MadeBackup & { sums: string[] } = { blobs: 0, copied: 0, bytes: 0, missing: [], sums: [] };
  const folders = new Set([path.join(folder, 'blobs')]);
  for (const { key, size, encrypted } of blobs) {
    const stored = storedBytes(key, size, encrypted);
    if (lying.get(key) !== stored.size) {
      made.missing.push(key);
      continue;
    }
    const name = placeInBackup(key);
    const place = path.join(folder, name);
    let sum = known.has(name) ? await digestOf(place).catch(() => undefined) : undefined; // somebody took it away
    if (sum === undefined || sum !== known.get(name)) {
      sum = await copy(stored.bytes, place);
      made.copied += 1;
      folders.add(path.dirname(place));
    }
    made.blobs += 1;
    made.bytes += stored.size;
    made.sums.push(`${sum}  ${name}\n`);
  }
  await removeOthers(folder, new Set(blobs.map(({ key }) => key)));
  for (const each of folders) if (existsSync(each)) await sync(each);
  return made;
}

/** Refuses a folder that is no whole backup, or not one of this key; answers what is wrong in it, file by file. */
export async function checkBackup(folder: string): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, sum] of await sumsIn(folder)) {
    const found = await digestOf(path.join(folder, name)).catch(() => undefined); // it is not there, or cannot be read
    if (found !== sum) faults.push(`${name} ${found === undefined ? 'is missing' : 'is not as it was written'}`);
  }
  return faults;
}

/** What tells one backup from another. */
export const idOfBackup = async (folder: string): Promise<string> => sha256(await readFile(path.join(folder, SUMS))).slice(0, 16);

/** The sums of a whole backup of this key, by file. */
async function sumsIn(folder: string): Promise<Map<string, string>> {
  if (!existsSync(path.join(folder, SEAL)) || !existsSync(path.join(folder, SUMS))) throw new ConfigurationError(`${folder} holds no whole backup: ${SEAL} is missing. Give the folder that npm run backup wrote to the end.`);
  const [text, seal] = [await readFile(path.join(folder, SUMS)), await readFile(path.join(folder, SEAL))];
  if (!sealsOf(text).some((own) => own.length === seal.length && timingSafeEqual(Buffer.from(own), seal))) {
    throw new ConfigurationError(`The list of ${folder} was changed, or the backup was made with another key. Set KEY_FILE to the key file of that time.`);
  }
  const lines = text.toString().split('\n').filter(Boolean);
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

/** The blobs that a database of a backup speaks of. */
async function blobsIn(file: string): Promise<{ key: string; size: number; encrypted: boolean }[]> {
  const database = openSqlite(file);
  try {
    const rows = await database.selectFrom('blobs').select(['blob_key', 'size', 'wrapped_key']).orderBy('blob_key').execute();
    return rows.map((row) => ({ key: row.blob_key, size: row.size, encrypted: row.wrapped_key !== null }));
  } finally {
    await database.destroy();
    for (const journal of JOURNALS) await rm(file + journal, { force: true });
  }
}

/** As the file of the seal holds it; one for each key of KEY_FILE, the newest first: a backup of before a change of keys is still known. */
const sealsOf = (sums: Buffer): string[] => keysFor('backup').map((key) => `${createHmac('sha256', key).update(sums).digest('hex')}\n`);

const JOURNALS = ['-wal', '-shm', '-journal'];

/** A journal that a broken-off run left would be taken for one of the file that comes next. */
export async function removeWithJournals(file: string): Promise<void> {
  for (const journal of ['', ...JOURNALS]) await rm(file + journal, { force: true });
}

async function digestOf(file: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) digest.update(chunk);
  return digest.digest('hex');
}

/** Answers the digest of what it wrote. */
async function copy(bytes: AsyncIterable<Buffer>, place: string): Promise<string> {
  await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
  const digest = createHash('sha256');
  const file = await open(`${place}.new`, 'w', 0o600);
  try {
    for await (const chunk of bytes) {
      digest.update(chunk);
      await file.writeFile(chunk);
    }
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(`${place}.new`, place);
  return digest.digest('hex');
}

async function write(place: string, text: string): Promise<void> {
  const file = await open(place, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Makes a file, or the names in a folder, safe from a power cut. */
async function sync(place: string): Promise<void> {
  const file = await open(place, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Removes the blobs that the portal does not have any more. */
async function removeOthers(folder: string, keys: ReadonlySet<string>): Promise<void> {
  const root = path.join(folder, 'blobs');
  for (const part of await readdir(root).catch(() => [])) {
    for (const name of await readdir(path.join(root, part))) if (!keys.has(name)) await rm(path.join(root, part, name), { force: true });
  }
}
