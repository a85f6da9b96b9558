import { expect, test } from 'vitest';
import { findSession, startSession, sweepSessions } from '#features/identity/sessions/sessions.server.ts';
import { listSessions } from '#features/identity/sessions/devices.server.ts';
import { writeLastSeen } from '#features/identity/sessions/last-seen.server.ts';
import { MINUTE, now, SECOND } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { BROWSER, makeCast, standAt } from '../../support/cast.ts';

const { ada, ben } = await makeCast();

/** The session as another process reads it: from its row. */
const row = (token: string) =>
  db()
    .selectFrom('sessions')
    .select('last_seen_at')
    .where('session_hash', '=', sha256(token))
    .executeTakeFirst();

test('a request writes nothing at once, and last-seen times are written together, each with its latest request', async () => {
  const [token, began] = [await startSession(ada, BROWSER), now()];
  const written = await row(token);
  standAt(began + 10 * MINUTE);
  expect(await findSession(token)).toBeDefined();
  standAt(began + 12 * MINUTE);
  expect(await findSession(token)).toBeDefined();
  expect(await row(token), 'no request writes').toEqual(written);
  await writeLastSeen();
  expect((await row(token))?.last_seen_at).toBeGreaterThanOrEqual(began + 12 * MINUTE);
});

test('a session in use stays valid and listed and is not swept, though its row is out of date', async () => {
  const [token, began] = [await startSession(ben, BROWSER), now()];
  standAt(began + 20 * MINUTE);
  expect(await findSession(token)).toBeDefined();
  standAt(began + 40 * MINUTE);
  const session = await findSession(token, { inBackground: true });
  expect(session?.expiresAt).toBeLessThanOrEqual(began + 50 * MINUTE + SECOND);
  if (!session) throw new Error('it should be live');
  expect(await listSessions(session)).toMatchObject([{ isThisOne: true }]);
  await sweepSessions();
  expect(await findSession(token, { inBackground: true }), 'the sweep knows it, too').toBeDefined();
  standAt(began + 51 * MINUTE);
  expect(await findSession(token), 'thirty minutes after the last request it is over').toBeUndefined();
});

test('of two processes that saw a session the later time is stored, whichever writes last', async () => {
  const [token, began] = [await startSession(ada, BROWSER), now()];
  standAt(began + 5 * MINUTE);
  expect(await findSession(token)).toBeDefined();
  const elsewhere = began + 7 * MINUTE;
  await db()
    .updateTable('sessions')
    .set({ last_seen_at: elsewhere })
    .where('session_hash', '=', sha256(token))
    .execute();
  await writeLastSeen();
  expect(await row(token)).toEqual({ last_seen_at: elsewhere });
});

test('a session whose row was set back expires, though this process saw it a moment ago', async () => {
  const [token, began] = [await startSession(ada, BROWSER), now()];
  standAt(began + MINUTE);
  expect(await findSession(token)).toBeDefined();
  const longAgo = began - 31 * MINUTE;
  await db()
    .updateTable('sessions')
    .set({ last_seen_at: longAgo })
    .where('session_hash', '=', sha256(token))
    .execute();
  await writeLastSeen();
  expect(await row(token)).toEqual({ last_seen_at: longAgo });
  expect(await findSession(token)).toBeUndefined();
});
