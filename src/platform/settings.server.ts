import { createHmac } from 'node:crypto';
import { config } from './config.server.ts';
import { newToken } from './crypto.server.ts';
import { db } from './database.server.ts';
import { sealFor, unsealFrom } from './sealed.server.ts';
import { ConfigurationError } from './startup.server.ts';

/** Keeps a value that the installation has about itself where there is none yet, and answers the one that is there now: of two who come at once, both hear the same. */
async function keepSetting(name: string, value: string): Promise<string> {
  const known = await db().selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  if (known) return known.value;
  await db().insertInto('settings').values({ name, value }).onConflict((conflict) => conflict.column('name').doNothing()).execute();
  return (await db().selectFrom('settings').select('value').where('name', '=', name).executeTakeFirstOrThrow()).value;
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
