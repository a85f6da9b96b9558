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

export const now = (): number => fixedTime.getStore() ?? Date.now() + offset;

/** Runs `work` as if it were `instant`. */
export const at = <T>(instant: number, work: () => T): T => fixedTime.run(instant, work);

/** Moves the clock of the process by `milliseconds`, for tests in which things expire. */
export function moveClock(milliseconds: number): void {
  offset += milliseconds;
}
