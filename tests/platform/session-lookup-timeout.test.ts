import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withSessionLookupTimeout } from '#platform/http/session-lookup-timeout.server.ts';
import { watchLog } from '#platform/monitoring/log.server.ts';

const logged: string[] = [];
watchLog((level, { event, kind }) => void logged.push(`${level} ${event} ${kind ?? ''}`));

beforeEach(() => {
  logged.length = 0;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

const never = new Promise<never>(() => undefined);

test('a session lookup of more than five seconds is refused and logged', async () => {
  const refused = expect(withSessionLookupTimeout(never)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await vi.advanceTimersByTimeAsync(4999);
  expect(logged).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  await refused;
  expect(logged).toEqual(['error guard.late Session Bindings Not Loaded']);
});

test('a timely session lookup continues and leaves no timer', async () => {
  expect(await withSessionLookupTimeout(Promise.resolve('Ada'))).toBe('Ada');
  await expect(withSessionLookupTimeout(Promise.reject(new Error('the database is away')))).rejects.toThrow(
    'the database is away',
  );
  expect([vi.getTimerCount(), logged]).toEqual([0, []]);
});
