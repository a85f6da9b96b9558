import { AsyncLocalStorage } from 'node:async_hooks';

/** Milliseconds since the epoch. Every room asks here, so that tests and the demo world can stand at another moment. */
const frozen = new AsyncLocalStorage<number>();
let offset = 0;

export const now = (): number => frozen.getStore() ?? Date.now() + offset;

/** Runs `work` as if it were `instant`. */
export const at = <T>(instant: number, work: () => T): T => frozen.run(instant, work);

/** Moves the whole process's clock by `milliseconds`; tests use it to let things expire. */
export function moveClock(milliseconds: number): void {
  offset += milliseconds;
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
