import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startSweeps } from '#platform/sweeps.server.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('sweeps run at the start and at their intervals, in order, and one that fails stops no other', async () => {
  const runs: string[] = [];
  const stop = startSweeps([
    { every: 1000, run: () => Promise.reject(new Error('a fault')) },
    { every: 1000, run: () => Promise.resolve(runs.push('often')) },
    { every: 2000, run: () => Promise.resolve(runs.push('seldom')) },
  ]);
  await vi.advanceTimersByTimeAsync(2500);
  expect(runs.toSorted()).toEqual(['often', 'often', 'often', 'seldom', 'seldom']);
  await stop();
  await vi.advanceTimersByTimeAsync(5000);
  expect(runs).toHaveLength(5);
});

test('a sweep that takes longer than its interval does not run twice at a time, and is waited for at the end', async () => {
  const work = Promise.withResolvers<undefined>();
  const run = vi.fn(() => work.promise);
  const stop = startSweeps([{ every: 1000, run }]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(run).toHaveBeenCalledTimes(1);
  let isStopped = false;
  const stopped = stop().then(() => (isStopped = true));
  await vi.advanceTimersByTimeAsync(5000);
  expect(isStopped).toBe(false);
  work.resolve(undefined);
  await stopped;
  expect(isStopped).toBe(true);
});
