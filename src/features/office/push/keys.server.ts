import { now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { newVapidKeys, type VapidKeys } from './web-push.server.ts';

const NAME = 'vapid';

/** The key pair of this portal, made at its first start. Browsers keep the public one: with another, none gets anything. */
export async function vapidKeys(): Promise<VapidKeys> {
  return (await storedKeys()) ?? (await makeKeys());
}

/** The public key of this portal; undefined before the first start is over. */
export async function publicKey(): Promise<string | undefined> {
  const row = await db()
    .selectFrom('push_keys')
    .select('public_key')
    .where('name', '=', NAME)
    .executeTakeFirst();
  return row?.public_key;
}

async function storedKeys(): Promise<VapidKeys | undefined> {
  const row = await db().selectFrom('push_keys').selectAll().where('name', '=', NAME).executeTakeFirst();
  return (
    row && {
      publicKey: row.public_key,
      privateKey: decryptFrom('push_keys.private_key', NAME, row.private_key),
    }
  );
}

async function makeKeys(): Promise<VapidKeys> {
  const { publicKey, privateKey } = newVapidKeys();
  await db()
    .insertInto('push_keys')
    .values({
      name: NAME,
      public_key: publicKey,
      private_key: encryptFor('push_keys.private_key', NAME, privateKey),
      created_at: now(),
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const stored = await storedKeys(); // perhaps those of another node
  if (!stored) throw new Error('the keys for push notifications were not stored');
  return stored;
}
