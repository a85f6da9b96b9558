import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { responseFinished } from '#platform/runtime/garbage-collection.server.ts';

/* Memory is collected when the portal is idle (docs/decisions/0033). */

const SECOND = 1000;
const collections = new PerformanceObserver(() => undefined);
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  collections.observe({ entryTypes: ['gc'] });
});
afterEach(() => {
  collections.disconnect();
  vi.useRealTimers();
});

/** The number of requested full collections since the last call. */
async function askedFor(): Promise<number> {
  await setImmediate(); // observers are notified then
  const isOne = ({ detail }: PerformanceEntry & { detail?: { kind: number; flags: number } }): boolean =>
    detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR &&
    (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE) !== 0;
  return collections.takeRecords().filter(isOne).length;
}
const answer = (times: number): void => {
  for (let i = 0; i < times; i += 1) responseFinished();
};

test('a full garbage collection runs eight seconds after the last of a hundred responses, and not again before another hundred', async () => {
  answer(99);
  vi.advanceTimersByTime(60 * SECOND);
  expect(await askedFor(), 'not worth it').toBe(0);
  answer(1);
  vi.advanceTimersByTime(7 * SECOND);
  answer(1);
  vi.advanceTimersByTime(7 * SECOND);
  expect(await askedFor(), 'somebody asked meanwhile').toBe(0);
  vi.advanceTimersByTime(SECOND);
  expect(await askedFor()).toBeGreaterThan(0);
  answer(99);
  vi.advanceTimersByTime(60 * SECOND);
  expect(await askedFor()).toBe(0);
});
