import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { storedBytes, holdSweeps } from './blobs.server.ts';
import { HOUR, now } from './clock.server.ts';
import { keysFor } from './crypto.server.ts';
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

/**
 * Makes a backup of the running portal in `folder`, new or of an earlier backup: then only what is new is copied. Everything is as it was
 * at one moment. Answers how many blobs it holds, how many were copied now, and their bytes.
 */
export async function makeBackup(folder: string): Promise<{ blobs: number; copied: number; bytes: number }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const file of [SEAL, `${DATABASE}.new`]) await rm(path.join(folder, file), { force: true }); // until it is whole again, it is none
  await holdSweeps(now() + LONGEST);
  try {
    await snapshotInto(path.join(folder, `${DATABASE}.new`));
    await sync(path.join(folder, `${DATABASE}.new`));
    await rename(path.join(folder, `${DATABASE}.new`), path.join(folder, DATABASE));
    const blobs = await blobsIn(path.join(folder, DATABASE));
    const sums = [`${await digestOf(path.join(folder, DATABASE))}  ${DATABASE}`];
    let [copied, bytes] = [0, 0];
    for (const { key, size, encrypted } of blobs) {
      const stored = storedBytes(key, size, encrypted);
      const place = path.join(folder, placeInBackup(key));
      const known = await stat(place).catch(() => undefined); // not copied yet
      if (known?.size !== stored.size) {
        await copy(stored.bytes, place);
        copied += 1;
      }
      bytes += stored.size;
      sums.push(`${await digestOf(place)}  ${placeInBackup(key)}`);
    }
    await removeOthers(folder, new Set(blobs.map(({ key }) => key)));
    const text = `${sums.join('\n')}\n`;
    await write(path.join(folder, SUMS), text);
    await write(path.join(folder, SEAL), `${seals(text)[0]?.toString('hex')}\n`);
    return { blobs: blobs.length, copied, bytes };
  } finally {
    await holdSweeps(0);
  }
}

/** Refuses a folder that is no whole backup, or not one of this key; answers what is wrong in it, file by file. */
export async function checkBackup(folder: string): Promise<string[]> {
  if (!existsSync(path.join(folder, SEAL)) || !existsSync(path.join(folder, SUMS))) throw new ConfigurationError(`${folder} holds no whole backup: ${SEAL} is missing. Give the folder that npm run backup wrote to the end.`);
  const text = await readFile(path.join(folder, SUMS), 'utf8');
  const seal = Buffer.from((await readFile(path.join(folder, SEAL), 'utf8')).trim(), 'hex');
  if (!seals(text).some((own) => own.length === seal.length && timingSafeEqual(own, seal))) {
    throw new ConfigurationError(`The list of ${folder} was changed, or the backup was made with another key. Set KEY_FILE to the key file of that time.`);
  }
  const faults: string[] = [];
  for (const line of text.split('\n').filter(Boolean)) {
    const [sum, name = ''] = line.split('  ');
    const found = await digestOf(path.join(folder, name)).catch(() => undefined); // it is not there, or cannot be read
    if (found !== sum) faults.push(`${name} ${found === undefined ? 'is missing' : 'is not as it was written'}`);
  }
  return faults;
}

/** The blobs that a database of a backup speaks of. */
export async function blobsIn(file: string): Promise<{ key: string; size: number; encrypted: boolean }[]> {
  const database = openSqlite(file);
  try {
    const rows = await database.selectFrom('blobs').select(['blob_key', 'size', 'wrapped_key']).orderBy('blob_key').execute();
    return rows.map((row) => ({ key: row.blob_key, size: row.size, encrypted: row.wrapped_key !== null }));
  } finally {
    await database.destroy();
    for (const beside of ['-wal', '-shm']) await rm(file + beside, { force: true });
  }
}

/** One for each key of KEY_FILE, the newest first: a backup of before a change of keys is still known. */
const seals = (text: string): Buffer[] => keysFor('backup').map((key) => createHmac('sha256', key).update(text).digest());

async function digestOf(file: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) digest.update(chunk);
  return digest.digest('hex');
}

async function copy(bytes: AsyncIterable<Buffer>, place: string): Promise<void> {
  await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
  const file = await open(`${place}.new`, 'w', 0o600);
  try {
    for await (const chunk of bytes) await file.writeFile(chunk);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(`${place}.new`, place);
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
