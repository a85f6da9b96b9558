import { createHmac } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { HOUR, now, SECOND } from './clock.server.ts';
import { config } from './config.server.ts';
import { newToken } from '../security/crypto.server.ts';
import { db } from '../database/database.server.ts';
import { PortalError, unlessStorageIsFull } from './errors.server.ts';
import { log } from '../monitoring/log.server.ts';
import { encryptFor, decryptFrom } from '../security/encryption.server.ts';
import { databaseFile } from '../database/sqlite.server.ts';
import { ConfigurationError } from './startup.server.ts';

/** A stored setting of the installation. */
export async function setting(name: string): Promise<string | undefined> {
  return (await db().selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst())
    ?.value;
}

export async function changeSetting(name: string, value: string): Promise<void> {
  await db()
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

const PROBE_BYTES = 16 * 1024;
const READY = 'ready-at';
let lastProbe: { at: number; written: Promise<void> } | undefined;

/**
 * Minimum free space, in bytes, for storing documents; the rest lets the database still make small writes.
 */
const MIN_FREE = 1024 * 1024;

async function assertFreeSpace(): Promise<void> {
  if (config.databaseUrl) return;
  const { bavail, bsize } = await statfs(config.dataDir);
  if (bavail * bsize < MIN_FREE) throw new PortalError('QUOTA');
}

/** Checks free space, and writes a probe at most once a second; throws when nothing can be stored. */
export async function assertWritable(): Promise<void> {
  await assertFreeSpace();
  const instant = now();
  if (lastProbe && Math.abs(instant - lastProbe.at) < SECOND) return lastProbe.written;
  const written = changeSetting(READY, String(instant)).catch((error: unknown) => {
    lastProbe = undefined;
    throw error;
  });
  lastProbe = { at: instant, written };
  return written;
}

const BACKUP = 'backup-at';

/** Records that a complete backup was made. */
export const recordBackup = (): Promise<void> => changeSetting(BACKUP, String(now()));

/** When the last backup was made (epoch ms); 0 when there was none. */
export const backupAt = async (): Promise<number> => Number((await setting(BACKUP)) ?? 0);

const FOREIGN_PROXY = 'foreign-proxy-at';
let recordedProxyAt = 0;

/** Records and logs, once an hour, that requests come through an untrusted proxy, for the doctor command. */
export async function recordForeignProxy(): Promise<void> {
  if (now() < recordedProxyAt + HOUR) return;
  recordedProxyAt = now();
  log.warn({ event: 'proxy.not-trusted' });
  await unlessStorageIsFull(() => changeSetting(FOREIGN_PROXY, String(now())));
}

/** When that was recorded last (epoch ms). */
export const foreignProxyAt = async (): Promise<number> => Number((await setting(FOREIGN_PROXY)) ?? 0);

/** Stores a setting unless it exists, and returns the stored one: concurrent callers get the same value. */
async function settingOrInsert(name: string, value: string): Promise<string> {
  const known = await setting(name);
  if (known !== undefined) return known;
  await db()
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return (await setting(name)) ?? value;
}

/** A secret of the installation, generated once, stored encrypted, and shared by all nodes. */
export async function installationSecret(name: string, generate: () => string = newToken): Promise<string> {
  return decryptFrom(
    'settings.value',
    name,
    await settingOrInsert(name, encryptFor('settings.value', name, generate())),
  );
}

/** Replaces such a secret if it still is `known`. Returns whether it did. */
export async function replaceSecret(name: string, known: string, secret: string): Promise<boolean> {
  const encrypted = await setting(name);
  if (encrypted === undefined || decryptFrom('settings.value', name, encrypted) !== known) return false;
  const value = encryptFor('settings.value', name, secret);
  const { numUpdatedRows } = await db()
    .updateTable('settings')
    .set({ value })
    .where('name', '=', name)
    .where('value', '=', encrypted)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

const INDEX_KEY = 'index-key';
let indexKey: Promise<string> | undefined;

/**
 * A keyed digest to look up an encrypted value: equal texts have equal digests, which reveal nothing else.
 */
export async function blindIndex(text: string): Promise<string> {
  indexKey ??= installationSecret(INDEX_KEY).catch((error: unknown) => {
    indexKey = undefined;
    throw error;
  });
  return createHmac('sha256', await indexKey)
    .update(text)
    .digest('base64url');
}

const RESTORING = 'restoring';
const DONE = '0';

/** The setting that marks a database whose restore of this backup has not finished. */
export const unfinishedRestoreSetting = (backupId: string): { name: string; value: string } => ({
  name: RESTORING,
  value: backupId,
});

export const recordRestored = (): Promise<void> => changeSetting(RESTORING, DONE);

/** The id of the backup whose restore has not finished: what was revoked since may be valid again here. */
export async function unfinishedRestore(): Promise<string | undefined> {
  const value = await setting(RESTORING);
  return value === DONE ? undefined : value;
}

/** The file in which a restore prepares the database; while it exists, nothing has been restored. */
export const restoringFile = (): string => `${databaseFile(config.dataDir)}.restoring`;

/** Refuses to serve a partly restored installation. */
export async function assertRestored(): Promise<void> {
  if (existsSync(restoringFile()) || (await unfinishedRestore()) !== undefined) {
    throw new ConfigurationError(
      'A restore was started here and did not finish. Run `npm run restore` with the same backup again.',
    );
  }
}

/** Refuses to start where nothing can be stored: every form would fail. */
export function assertStorable(): void {
  if (config.databaseUrl !== undefined && config.blobUrl !== undefined) return;
  const probe = path.join(config.dataDir, `.probe-${process.pid}`);
  try {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(probe, Buffer.alloc(PROBE_BYTES), { mode: 0o600 });
  } catch (error) {
    const { code = 'ERROR' } = error as NodeJS.ErrnoException;
    const what = `DATA_DIR=${config.dataDir} cannot be written (${code})`;
    throw new ConfigurationError(
      `${what}. Check that its disk is mounted, has free space and is not read-only, and that the folder belongs to the user who runs this.`,
    );
  } finally {
    rmSync(probe, { force: true });
  }
}

/** Refuses to run where no portal is installed: a command must not create one. */
export function assertInstalled(): void {
  if (config.databaseUrl === undefined && !existsSync(databaseFile(config.dataDir))) {
    throw new ConfigurationError(
      `There is no portal in DATA_DIR=${config.dataDir}. Set DATA_DIR to its data folder, or start the portal once to create it.`,
    );
  }
}

/** Refuses to continue without a key file: a new key would be created while the right one is elsewhere. */
export function assertKeyFileExists(): void {
  if (!existsSync(config.keyFile)) {
    throw new ConfigurationError(
      `KEY_FILE=${config.keyFile} does not exist. Put the key file of this data there, or set KEY_FILE to its location; without it nothing can be decrypted.`,
    );
  }
}

/** Refuses to continue with a key that does not match this data. */
export async function assertKeyMatches(): Promise<void> {
  if ((await setting(INDEX_KEY)) !== undefined) assertKeyFileExists();
  const encrypted = await settingOrInsert(INDEX_KEY, encryptFor('settings.value', INDEX_KEY, newToken()));
  try {
    decryptFrom('settings.value', INDEX_KEY, encrypted);
  } catch {
    throw new ConfigurationError(
      `KEY_FILE=${config.keyFile} does not contain the key of this data. Restore the key file that belongs to it, or set KEY_FILE to its location; without it nothing can be decrypted.`,
    );
  }
}
