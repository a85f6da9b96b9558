import { createHmac } from 'node:crypto';
import { config } from './config.server.ts';
import { newToken } from './crypto.server.ts';
import { db } from './database.server.ts';
import { sealFor, unsealFrom } from './sealed.server.ts';
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

let indexKey: Promise<string> | undefined;

/** A keyed digest by which an encrypted value is found again: equal texts, equal digests, and nothing else can be told from it. */
export async function blindIndex(text: string): Promise<string> {
  indexKey ??= ownSecret('index-key').catch((error: unknown) => {
    indexKey = undefined;
    throw error;
  });
  return createHmac('sha256', await indexKey).update(text).digest('base64url');
}

const RESTORING = 'restoring';

/** What a database says of itself until it is restored to the end. */
export const HALF_RESTORED = { name: RESTORING, value: '1' };

export const noteRestored = (): Promise<void> => changeSetting(RESTORING, '0');

/** True when a restore was begun and not finished: what was revoked since the backup may still be alive here. */
export const isHalfRestored = async (): Promise<boolean> => (await setting(RESTORING)) === HALF_RESTORED.value;

/** Refuses to serve what a broken-off restore left. */
export async function assertRestored(): Promise<void> {
  if (await isHalfRestored()) throw new ConfigurationError('A restore was begun here and did not come to its end. Run `npm run restore` with the same backup again.');
}

/** Refuses to go on with a key that this data was not sealed with. */
export async function assertKeyFits(): Promise<void> {
  try {
    await ownSecret('key-check');
  } catch {
    throw new ConfigurationError(
      `KEY_FILE=${config.keyFile} does not hold the key of this data. Put the key file back that belongs to it, or set KEY_FILE to where it is; without it nothing that is encrypted can be opened.`,
    );
  }
}
