import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { throttled } from '#features/office/live/throttled.server.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('what is asked for once is done at once', () => {
  const act = vi.fn();
  throttled(act, 500)();
  expect(act).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(10_000);
  expect(act).toHaveBeenCalledTimes(1);
});

test('of 10,000 events in a minute a node looks after two each second, and after the last one', () => {
  const act = vi.fn();
  const look = throttled(act, 500);
  for (let event = 0; event < 10_000; event += 1) {
    look();
    vi.advanceTimersByTime(6);
  }
  expect(act.mock.calls.length).toBeLessThanOrEqual(121);
  const before = act.mock.calls.length;
  look();
  vi.advanceTimersByTime(500);
  expect(act.mock.calls.length).toBe(before + 1);
});
