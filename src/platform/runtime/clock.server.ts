import { AsyncLocalStorage } from 'node:async_hooks';
import {
  millisecondsInDay,
  millisecondsInHour,
  millisecondsInMinute,
  millisecondsInSecond,
} from 'date-fns/constants';

export const SECOND = millisecondsInSecond;
export const MINUTE = millisecondsInMinute;
export const HOUR = millisecondsInHour;
export const DAY = millisecondsInDay;

/**
 * The clock of the portal, in epoch ms. Every feature uses it, so that tests and the demo can set the time.
 */
const fixedTime = new AsyncLocalStorage<number>();
let offset = 0;
/** The time of the database at a moment of the monotonic clock, which nobody sets. */
let reference: { time: number; at: number } | undefined;

export const now = (): number =>
  fixedTime.getStore() ??
  (reference ? Math.round(reference.time + performance.now() - reference.at) : Date.now()) + offset;

/** The clock of this machine, in epoch ms, which may be wrong. */
export const machineTime = (): number => Date.now();

/**
 * Lets the clock of the portal follow that of the database, which is one for all nodes: what one of them writes expires
 * for the others at the same moment, whatever their own clocks say. `time` was that of the database at `at`, in
 * milliseconds of `performance.now()`. Differences that the way to the database explains are ignored.
 */
export function followClock(time: number, at: number): void {
  const known = reference && reference.time + at - reference.at;
  if (known === undefined || Math.abs(known - time) > MAX_JITTER) reference = { time, at };
}

const MAX_JITTER = 100;

/** Runs `work` as if it were `instant`. */
export const at = <T>(instant: number, work: () => T): T => fixedTime.run(instant, work);

/** Moves the clock of the process by `milliseconds`, for tests in which things expire. */
export function moveClock(milliseconds: number): void {
  offset += milliseconds;
}
