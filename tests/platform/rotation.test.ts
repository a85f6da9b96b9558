import fs from 'node:fs';
import { beforeAll, expect, test, vi } from 'vitest';
import { config } from '#platform/runtime/config.server.ts';
import { keyIds, encryptionKeyIdOf } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { rotateKeys } from '#platform/database/rotation.server.ts';
import { encryptionFaults, encryptedRows } from '#platform/database/encrypted-rows.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { assertKeyMatches, changeSetting } from '#platform/runtime/settings.server.ts';
import { makeCast } from '../support/cast.ts';
import '../../src/app.server.ts';

beforeAll(async () => {
  await makeCast();
  await assertKeyMatches();
});

const PAUSE = 4000;

/** Skips the pauses of a key rotation and calls `meanwhile` in each of them. */
function withoutPauses(meanwhile: () => Promise<unknown> = () => Promise.resolve()) {
  const original = globalThis.setTimeout;
  return vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, delay: number) => {
    if (delay !== PAUSE) return original(work, delay);
    void meanwhile().then(work);
    return undefined;
  }) as unknown as typeof setTimeout);
}

const keysInUse = async (): Promise<string[]> => [
  ...new Set((await Array.fromAsync(encryptedRows())).map(({ encrypted }) => encryptionKeyIdOf(encrypted))),
];
const keyLines = (): string[] => fs.readFileSync(config.keyFile, 'utf8').trim().split('\n');
const userOne = () =>
  db().selectFrom('users').select(['prism_guid', 'email']).orderBy('prism_guid').executeTakeFirstOrThrow();

test('key rotation re-encrypts everything and leaves only the new key', async () => {
  const before = keyIds();
  const values = (await Array.fromAsync(encryptedRows())).length;
  withoutPauses();
  const { encrypted, removedKeys } = await rotateKeys();
  expect({ encrypted, removedKeys }).toEqual({ encrypted: values, removedKeys: before });
  expect(await keysInUse()).toEqual(keyIds());
  expect(keyLines()).toHaveLength(1);
  expect(await encryptionFaults()).toEqual([]);
  await expect(assertKeyMatches()).resolves.toBeUndefined();
});

test('values encrypted with the old key at the last moment are re-encrypted too', async () => {
  const { prism_guid: id, email: late } = await userOne();
  let pauses = 0;
  withoutPauses(async () => {
    pauses += 1;
    if (pauses === 2)
      await db().updateTable('users').set({ email: late }).where('prism_guid', '=', id).execute();
  });
  await rotateKeys();
  expect(pauses).toBe(3);
  expect(await keysInUse()).toEqual(keyIds());
  expect(decryptFrom('users.email', id, (await userOne()).email)).toMatch(/@(one|two)\.example$/);
});

test('the rotation waits for the slowest possible transaction with the old key', async () => {
  const { prism_guid: id, email: late } = await userOne();
  const longest = 2000 + 5500;
  let elapsed = 0;
  withoutPauses(async () => {
    const before = elapsed;
    elapsed += PAUSE;
    if (before < longest && elapsed >= longest)
      await db().updateTable('users').set({ email: late }).where('prism_guid', '=', id).execute();
  });
  await rotateKeys();
  expect(elapsed).toBeGreaterThan(longest);
  expect(decryptFrom('users.email', id, (await userOne()).email)).toMatch(/@(one|two)\.example$/);
});

test('an old key still in use stays, and the error says what to do', async () => {
  const { prism_guid: id, email: stubborn } = await userOne();
  const pauses = withoutPauses(() =>
    db().updateTable('users').set({ email: stubborn }).where('prism_guid', '=', id).execute(),
  );
  await expect(rotateKeys()).rejects.toThrow(
    'A process keeps encrypting with an old key, so the old keys stay in KEY_FILE. Use the same key file on every node, then run npm run rotate-key again.',
  );
  expect(keyLines()).toHaveLength(2);
  expect(await encryptionFaults()).toEqual([]);
  pauses.mockRestore();
  withoutPauses();
  await rotateKeys();
  expect(keyLines()).toHaveLength(1);
  expect(await keysInUse()).toEqual(keyIds());
});

test('values that cannot be decrypted do not keep others from being re-encrypted', async () => {
  for (let index = 0; index < 1100; index += 1)
    await changeSetting(`foreign-${String(index).padStart(4, '0')}`, `deadbeef.${'A'.repeat(60)}`);
  withoutPauses();
  await rotateKeys();
  const mine = (await keysInUse()).filter((id) => id !== 'deadbeef');
  expect(mine).toEqual(keyIds());
  await db().deleteFrom('settings').where('name', 'like', 'foreign-%').execute();
});

test('a value that cannot be decrypted is reported, and the old key stays', async () => {
  const { prism_guid: id, email } = await userOne();
  await db()
    .updateTable('users')
    .set({ email: `${email.slice(0, -2)}AA` })
    .where('prism_guid', '=', id)
    .execute();
  withoutPauses();
  await expect(rotateKeys()).rejects.toThrow(`users.email of ${id}`);
  expect(keyLines().length).toBeGreaterThan(1);
});
