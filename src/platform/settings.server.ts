import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { config } from './config.server.ts';
import { newToken } from './crypto.server.ts';
import { db } from './database.server.ts';
import { sealFor, unsealFrom } from './sealed.server.ts';
import { databaseFile } from './sqlite.server.ts';
import { ConfigurationError } from './startup.server.ts';

/** What the installation noted about itself under a name. */
export async function setting(name: string): Promise<string | undefined> {
  return (await db().selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst())?.value;
}

export async function changeSetting(name: string, value: string): Promise<void> {
  await db().insertInto('settings').values({ name, value }).onConflict((conflict) => conflict.column('name').doUpdateSet({ value })).execute();
}

/** Keeps a value that the installation has about itself where there is none yet, and answers the one that is there now: of two who come at once, both hear the same. */
async function keepSetting(name: string, value: string): Promise<string> {
  const known = await setting(name);
  if (known !== undefined) return known;
  await db().insertInto('settings').values({ name, value }).onConflict((conflict) => conflict.column('name').doNothing()).execute();
  return (await setting(name)) ?? value;
}

/** A secret that the database keeps for itself, made once, sealed, the same on all nodes. */
export async function ownSecret(name: string, make: () => string = newToken): Promise<string> {
  return unsealFrom('settings.value', name, await keepSetting(name, sealFor('settings.value', name, make())));
}

const INDEX_KEY = 'index-key';
let indexKey: Promise<string> | undefined;

/** A keyed digest by which an encrypted value is found again: equal texts, equal digests, and nothing else can be told from it. */
export async function blindIndex(text: string): Promise<string> {
  indexKey ??= ownSecret(INDEX_KEY).catch((error: unknown) => {
    indexKey = undefined;
    throw error;
  });
  return createHmac('sha256', await indexKey).update(text).digest('base64url');
}

const RESTORING = 'restoring';
const DONE = '0';

/** What a database says of itself until the backup of that id is restored to the end. */
export const halfRestored = (backupId: string): { name: string; value: string } => ({ name: RESTORING, value: backupId });

export const noteRestored = (): Promise<void> => changeSetting(RESTORING, DONE);

/** The id of the backup whose restore was begun and not finished: what was revoked since it was made may still be alive here. */
export async function restoreUnderWay(): Promise<string | undefined> {
  const value = await setting(RESTORING);
  return value === DONE ? undefined : value;
}

/** Where a restore prepares the database; while it stands there, nothing is restored yet. */
export const restoringFile = (): string => `${databaseFile(config.dataDir)}.restoring`;

/** Refuses to serve what a broken-off restore left. */
export async function assertRestored(): Promise<void> {
  if (existsSync(restoringFile()) || (await restoreUnderWay()) !== undefined) {
    throw new ConfigurationError('A restore was begun here and did not come to its end. Run `npm run restore` with the same backup again.');
  }
}

/** Refuses to look after a portal that is not there: a command must not make one by looking for it. */
export function assertInstalled(): void {
  if (config.databaseUrl === undefined && !existsSync(databaseFile(config.dataDir))) {
    throw new ConfigurationError(`There is no portal in DATA_DIR=${config.dataDir}. Set DATA_DIR to where it is.`);
  }
}

/** Refuses to go on where a key would be made anew and the right one is somewhere else. */
export function assertKeyIsThere(): void {
  if (!existsSync(config.keyFile)) {
    throw new ConfigurationError(`KEY_FILE=${config.keyFile} does not exist. Put the key file of this data there, or set KEY_FILE to where it is; without it nothing that is encrypted can be opened.`);
  }
}

/** Refuses to go on with a key that this data was not sealed with. */
export async function assertKeyFits(): Promise<void> {
  if ((await setting(INDEX_KEY)) !== undefined) assertKeyIsThere();
  const sealed = await keepSetting(INDEX_KEY, sealFor('settings.value', INDEX_KEY, newToken()));
  try {
    unsealFrom('settings.value', INDEX_KEY, sealed);
  } catch {
    throw new ConfigurationError(
      `KEY_FILE=${config.keyFile} does not hold the key of this data. Put the key file back that belongs to it, or set KEY_FILE to where it is; without it nothing that is encrypted can be opened.`,
    );
  }
}
