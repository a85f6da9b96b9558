import { expect, test } from 'vitest';

// set before the configuration is read
Object.assign(process.env, { SESSION_IDLE_MINUTES: '5', SESSION_HOURS: '2' });
const { findSession, startSession } = await import('#features/identity/sessions/sessions.server.ts');
const { listSessions } = await import('#features/identity/sessions/devices.server.ts');
const { HOUR, MINUTE, now } = await import('#platform/runtime/clock.server.ts');
const { BROWSER, makeCast, standAt } = await import('../../support/cast.ts');
const { ada } = await makeCast();

const live = async (token: string) => {
  const session = await findSession(token);
  if (!session) throw new Error('this session should be live');
  return session;
};

test('the time-outs set by the firm apply to the session and to the list of devices alike', async () => {
  const began = now();
  const left = await startSession(ada, BROWSER);
  const used = await startSession(ada, BROWSER);
  standAt(began + 4 * MINUTE);
  expect(await listSessions(await live(used))).toHaveLength(2);
  standAt(began + 6 * MINUTE);
  expect(await listSessions(await live(used)), 'the one that was left alone is over').toHaveLength(1);
  expect(await findSession(left)).toBeUndefined();
});

test('a session in constant use expires at last, on the list of devices too', async () => {
  const first = await startSession(ada, BROWSER);
  const began = now();
  for (let at = began; at < began + 2 * HOUR; at += 4 * MINUTE) {
    standAt(at);
    await live(first);
  }
  const second = await startSession(ada, BROWSER);
  standAt(began + 2 * HOUR + 1);
  expect(await listSessions(await live(second))).toHaveLength(1);
  expect(await findSession(first)).toBeUndefined();
});
