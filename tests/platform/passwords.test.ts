import { argon2Sync } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { refusal } from '#platform/runtime/errors.server.ts';
import { hashSecret, MAX_AT_ONCE, secretMatches } from '#platform/security/passwords.server.ts';

const PHC = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;

test('a password matches its own hash only', async () => {
  const [nora, ana] = await Promise.all([hashSecret('correct horse battery'), hashSecret('staple for Ana')]);
  expect(await secretMatches('correct horse battery', nora)).toBe(true);
  for (const wrong of [
    '',
    'correct horse',
    'correct horse battery ',
    'Correct horse battery',
    'staple for Ana',
  ])
    expect(await secretMatches(wrong, nora), wrong).toBe(false);
  expect(await secretMatches('staple for Ana', ana)).toBe(true);
});

test('a stored hash reveals neither the password nor who shares it', async () => {
  const [a, b] = await Promise.all([
    hashSecret('correct horse battery'),
    hashSecret('correct horse battery'),
  ]);
  expect(a).toMatch(PHC);
  expect(b).toMatch(PHC);
  expect(a).not.toBe(b);
});

test('every character of a password counts, up to a thousand', async () => {
  const long = 'ü'.repeat(999);
  const hash = await hashSecret(`${long}a`);
  expect(await secretMatches(`${long}a`, hash)).toBe(true);
  expect(await secretMatches(`${long}b`, hash)).toBe(false);
});

test('passwords are normalized, so that accents match from every keyboard', async () => {
  const hash = await hashSecret('sen\u0303a é boa');
  expect(await secretMatches('señ\u0061 e\u0301 boa', hash)).toBe(true);
});

test.each([
  ['less', { memory: 8192, passes: 1, parallelism: 1 }],
  ['more', { memory: 32_768, passes: 3, parallelism: 2 }],
])('a password stored when hashes cost %s still opens its account', async (_, costs) => {
  const nonce = Buffer.alloc(16, 7);
  const tag = argon2Sync('argon2id', { message: 'correct horse battery', nonce, tagLength: 32, ...costs });
  const b64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  const hash = `$argon2id$v=19$m=${costs.memory},t=${costs.passes},p=${costs.parallelism}$${b64(nonce)}$${b64(tag)}`;
  expect(await secretMatches('correct horse battery', hash)).toBe(true);
  expect(await secretMatches('correct horse', hash)).toBe(false);
});

test.each([null, undefined])('a missing hash matches no password (%j)', async (none) => {
  for (const tried of ['', 'anything', '\0'.repeat(12)]) expect(await secretMatches(tried, none)).toBe(false);
});

test.each([
  '',
  'plain text',
  '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$',
  '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA',
  '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
])('an unknown hash format matches no password (%j)', async (stored) => {
  for (const tried of ['', 'plain text'])
    expect(await secretMatches(tried, stored).catch(() => false)).toBe(false);
});

/** Counts the results of concurrent attempts. */
async function tries(
  count: number,
  one: () => Promise<unknown>,
): Promise<{ answered: number; refused: unknown[] }> {
  const all = await Promise.allSettled(Array.from({ length: count }, one));
  const refused = all
    .filter((outcome) => outcome.status === 'rejected')
    .map(({ reason }) => refusal(reason)?.code);
  return { answered: count - refused.length, refused };
}

/** As many as are hashed and wait. */
const MOST = MAX_AT_ONCE + 64;

test('a processor is left to others, and 64 passwords wait; further ones get UNAVAILABLE, until the queue is empty', async () => {
  expect(MAX_AT_ONCE).toBeLessThanOrEqual(Math.max(1, availableParallelism() - 1));
  const hash = await hashSecret('correct horse battery');
  expect(await tries(MOST, () => secretMatches('wrong', hash))).toEqual({ answered: MOST, refused: [] });
  expect(await tries(MOST + 4, () => secretMatches('wrong', hash))).toEqual({
    answered: MOST,
    refused: Array(4).fill('UNAVAILABLE'),
  });
});

test('checking the password of an unknown user does the same work as for a known one', async () => {
  expect(await tries(MOST + 1, () => secretMatches('wrong', null))).toEqual({
    answered: MOST,
    refused: ['UNAVAILABLE'],
  });
});
