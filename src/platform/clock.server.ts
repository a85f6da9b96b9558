import { AsyncLocalStorage } from 'node:async_hooks';

export {
  millisecondsInDay as DAY,
  millisecondsInHour as HOUR,
  millisecondsInMinute as MINUTE,
  millisecondsInSecond as SECOND,
} from 'date-fns/constants';

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
