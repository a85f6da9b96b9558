import { beforeAll, expect, test } from 'vitest';
import { at, MINUTE, moveClock, now, SECOND } from '#platform/runtime/clock.server.ts';
import { db, migrate } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { resetLimits, consume, sweepLimits } from '#platform/security/limits.server.ts';

beforeAll(migrate);

/** The error of one attempt, or undefined if it was allowed. */
const tried = async (key: string, most = 3, window = MINUTE) =>
  consume(key, most, window).then(
    () => undefined,
    (error: unknown) => refusal(error),
  );

test('three attempts are allowed; the fourth gets the time to wait', async () => {
  for (let use = 1; use <= 3; use += 1) expect(await tried('a')).toBeUndefined();
  expect(await tried('a')).toMatchObject({ code: 'TOO_MANY', status: 429, details: { retryAfter: 60 } });
});

test('the time to wait decreases, and further attempts do not extend it', async () => {
  for (let use = 1; use <= 4; use += 1) await tried('b');
  moveClock(20 * SECOND);
  expect((await tried('b'))?.details).toEqual({ retryAfter: 40 });
  moveClock(39_500);
  expect((await tried('b'))?.details).toEqual({ retryAfter: 1 });
});

test('all attempts are available again after the window', async () => {
  const start = now();
  for (let use = 1; use <= 4; use += 1) await at(start, () => tried('c'));
  expect(await at(start + MINUTE - 1, () => tried('c'))).toBeDefined();
  for (let use = 1; use <= 3; use += 1) expect(await at(start + MINUTE, () => tried('c'))).toBeUndefined();
  expect(await at(start + MINUTE, () => tried('c'))).toBeDefined();
});

test('limits are separate per key', async () => {
  for (let use = 1; use <= 4; use += 1) await tried('sign-in:nora');
  expect(await tried('sign-in:nora')).toBeDefined();
  expect(await tried('sign-in:ana')).toBeUndefined();
});

test('a successful attempt resets the limit', async () => {
  for (let use = 1; use <= 4; use += 1) await tried('d');
  await resetLimits('d');
  await resetLimits('never tried');
  for (let use = 1; use <= 3; use += 1) expect(await tried('d')).toBeUndefined();
  expect(await tried('d')).toBeDefined();
});

test('three of fifty concurrent attempts are allowed', async () => {
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => tried('e')));
  expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(3);
});

test('the sweep removes expired limits only', async () => {
  await tried('old', 1);
  moveClock(2 * MINUTE);
  await tried('new', 1);
  await sweepLimits();
  const remaining = await db().selectFrom('limits').select('limit_key').execute();
  expect(remaining.map((row) => row.limit_key)).toEqual(['new']);
  expect(await tried('new', 1)).toBeDefined();
});
