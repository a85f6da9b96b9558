import { now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { newVapidKeys, type VapidKeys } from './web-push.server.ts';

/** The name of the current key pair. Earlier ones have names of their own, since a value is encrypted for its row. */
const CURRENT = 'vapid';

/**
 * The key pair of this portal, made at its first start. A browser gets only what is sent with the one that it knows, so that
 * earlier ones stay as long as there are such browsers.
 */
export async function vapidKeys(): Promise<VapidKeys> {
  return (await storedKeys({ name: CURRENT })) ?? (await makeKeys());
}

/** The key pair with this public key; undefined if the portal has none. */
export const vapidKeysOf = (publicKey: string): Promise<VapidKeys | undefined> =>
  storedKeys({ public_key: publicKey });

/** The public key of this portal; undefined before the first start is over. */
export async function publicKey(): Promise<string | undefined> {
  const row = await db()
    .selectFrom('push_keys')
    .select('public_key')
    .where('name', '=', CURRENT)
    .executeTakeFirst();
  return row?.public_key;
}

/**
 * Makes a new key pair, which browsers learn with their next visit; until then they get what is sent with the earlier one.
 * Returns how many devices know an earlier one.
 */
export async function rotateVapidKeys(): Promise<{ devices: number }> {
  await vapidKeys();
  return inTransaction(async () => {
    const old = await db()
      .deleteFrom('push_keys')
      .where('name', '=', CURRENT)
      .returningAll()
      .executeTakeFirst();
    if (old) {
      const privateKey = decryptFrom('push_keys.private_key', CURRENT, old.private_key);
      const name = newId('pushkey');
      const private_key = encryptFor('push_keys.private_key', name, privateKey);
      await db()
        .insertInto('push_keys')
        .values({ ...old, name, private_key })
        .execute();
    }
    const { publicKey: current } = await makeKeys();
    const { n } = await db()
      .selectFrom('push_subscriptions')
      .select(({ fn }) => fn.countAll().as('n'))
      .where('public_key', '<>', current)
      .executeTakeFirstOrThrow();
    return { devices: Number(n) };
  });
}

/** Deletes earlier key pairs that no device knows any more. */
export async function sweepVapidKeys(): Promise<void> {
  await vapidKeys();
  await db()
    .deleteFrom('push_keys')
    .where('name', '<>', CURRENT)
    .where('public_key', 'not in', (e) => e.selectFrom('push_subscriptions').select('public_key'))
    .execute();
}

async function storedKeys(where: { name: string } | { public_key: string }): Promise<VapidKeys | undefined> {
  const row = await db()
    .selectFrom('push_keys')
    .selectAll()
    .where((e) => e.and(where))
    .executeTakeFirst();
  return (
    row && {
      publicKey: row.public_key,
      privateKey: decryptFrom('push_keys.private_key', row.name, row.private_key),
    }
  );
}

async function makeKeys(): Promise<VapidKeys> {
  const { publicKey, privateKey } = newVapidKeys();
  await db()
    .insertInto('push_keys')
    .values({
      name: CURRENT,
      public_key: publicKey,
      private_key: encryptFor('push_keys.private_key', CURRENT, privateKey),
      created_at: now(),
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const stored = await storedKeys({ name: CURRENT }); // perhaps those of another node
  if (!stored) throw new Error('the keys for push notifications were not stored');
  return stored;
}
