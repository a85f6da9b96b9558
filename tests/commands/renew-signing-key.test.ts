import { afterAll, beforeAll, expect, test } from 'vitest';
import { act, command, databaseOf, newPlace, removePlaces, rowsIn } from './support.ts';
import type { Filled } from './acts.ts';

const portal = newPlace();
let filled: Filled;

beforeAll(async () => {
  filled = await act(portal, 'fill', 6);
});
afterAll(removePlaces);

const storedKeys = () =>
  rowsIn(databaseOf(portal), "select value from settings where name = 'oidc-signing-key'").map(({ value }) =>
    String(value),
  );

test('the sign-in key is renewed at once: people sign in with the new one, and every value can be decrypted', async () => {
  const before = storedKeys();
  const first = await command(portal, 'renew-signing-key');
  const second = await command(portal, 'renew-signing-key');
  for (const { code, said } of [first, second])
    expect([code, said]).toEqual([
      0,
      expect.stringMatching(
        /^Sign-ins are signed with the new key key_\w+ from now on; the one before stays/,
      ),
    ]);
  expect(first.said).not.toBe(second.said);
  expect(storedKeys()).not.toEqual(before);
  expect((await command(portal, 'verify')).said).toContain('everything is as it was written.');
  expect(await act(portal, 'tryAll', filled)).toMatchObject({ signsIn: true });
});

test('renewing the sign-in key with an external issuer reports that there is none', async () => {
  const { code, said } = await command(portal, 'renew-signing-key', [], {
    OIDC_ISSUER: 'https://issuer.example',
    OIDC_CLIENT_ID: 'portal',
    OIDC_CLIENT_SECRET: 'a-secret-that-is-long-enough',
  });
  expect([code, said]).toEqual([1, expect.stringContaining('renew them there')]);
});
