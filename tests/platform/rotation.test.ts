import fs from 'node:fs';
import { beforeAll, expect, test, vi } from 'vitest';
import { config } from '#platform/config.server.ts';
import { keyIds, sealedBy } from '#platform/crypto.server.ts';
import { db } from '#platform/database.server.ts';
import { rotateKeys } from '#platform/rotation.server.ts';
import { sealedFaults, sealedRows } from '#platform/sealed-rows.server.ts';
import { unsealFrom } from '#platform/sealed.server.ts';
import { assertKeyFits, changeSetting } from '#platform/settings.server.ts';
import { makeCast } from '../kit/cast.ts';

beforeAll(async () => {
  await makeCast();
  await assertKeyFits();
});

const PAUSE = 4000;

/** The pauses of a change of keys take no time; in each of them `meanwhile` happens. */
function withoutPauses(meanwhile: () => Promise<unknown> = () => Promise.resolve()) {
  const original = globalThis.setTimeout;
  return vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, delay: number) => {
    if (delay !== PAUSE) return original(work, delay);
    void meanwhile().then(work);
    return undefined;
  }) as unknown as typeof setTimeout);
}

const keysInUse = async (): Promise<string[]> => [...new Set((await Array.fromAsync(sealedRows())).map(({ sealed }) => sealedBy(sealed)))];
const keyLines = (): string[] => fs.readFileSync(config.keyFile, 'utf8').trim().split('\n');
const userOne = () => db().selectFrom('users').select(['prism_guid', 'email']).orderBy('prism_guid').executeTakeFirstOrThrow();

test('everything is sealed anew, and only the new key is left', async () => {
  const before = keyIds();
  const values = (await Array.fromAsync(sealedRows())).length;
  withoutPauses();
  const { sealed, given } = await rotateKeys();
  expect({ sealed, given }).toEqual({ sealed: values, given: before });
  expect(await keysInUse()).toEqual(keyIds());
  expect(keyLines()).toHaveLength(1);
  expect(await sealedFaults()).toEqual([]);
  await expect(assertKeyFits()).resolves.toBeUndefined();
});

test('what somebody seals with the old key at the last moment is sealed anew too', async () => {
  const { prism_guid: id, email: late } = await userOne();
  let pauses = 0;
  withoutPauses(async () => {
    pauses += 1;
    if (pauses === 2) await db().updateTable('users').set({ email: late }).where('prism_guid', '=', id).execute();
  });
  await rotateKeys();
  expect(pauses).toBe(3);
  expect(await keysInUse()).toEqual(keyIds());
  expect(unsealFrom('users.email', id, (await userOne()).email)).toMatch(/@(one|two)\.example$/);
});

test('a transaction that sealed with the old key in the last moment, and waited for the database as long as it may, comes in time', async () => {
  const { prism_guid: id, email: late } = await userOne();
  const longest = 2000 + 5500;
  let elapsed = 0;
  withoutPauses(async () => {
    const before = elapsed;
    elapsed += PAUSE;
    if (before < longest && elapsed >= longest) await db().updateTable('users').set({ email: late }).where('prism_guid', '=', id).execute();
  });
  await rotateKeys();
  expect(elapsed).toBeGreaterThan(longest);
  expect(unsealFrom('users.email', id, (await userOne()).email)).toMatch(/@(one|two)\.example$/);
});

test('while somebody goes on with the old key it stays, and the sentence says what to do', async () => {
  const { prism_guid: id, email: stubborn } = await userOne();
  const pauses = withoutPauses(() => db().updateTable('users').set({ email: stubborn }).where('prism_guid', '=', id).execute());
  await expect(rotateKeys()).rejects.toThrow('Somebody goes on sealing with an old key, so the old keys stay in KEY_FILE. Give every node this same key file, then run npm run rotate-key again.');
  expect(keyLines()).toHaveLength(2);
  expect(await sealedFaults()).toEqual([]);
  pauses.mockRestore();
  withoutPauses();
  await rotateKeys();
  expect(keyLines()).toHaveLength(1);
  expect(await keysInUse()).toEqual(keyIds());
});

test('many values that no key opens hide none that one does', async () => {
  for (let index = 0; index < 1100; index += 1) await changeSetting(`foreign-${String(index).padStart(4, '0')}`, `deadbeef.${'A'.repeat(60)}`);
  withoutPauses();
  await rotateKeys();
  const mine = (await keysInUse()).filter((id) => id !== 'deadbeef');
  expect(mine).toEqual(keyIds());
  await db().deleteFrom('settings').where('name', 'like', 'foreign-%').execute();
});

test('a value that cannot be opened is named, and the old key stays', async () => {
  const { prism_guid: id, email } = await userOne();
  await db().updateTable('users').set({ email: `${email.slice(0, -2)}AA` }).where('prism_guid', '=', id).execute();
  withoutPauses();
  await expect(rotateKeys()).rejects.toThrow(`users.email of ${id}`);
  expect(keyLines().length).toBeGreaterThan(1);
});
