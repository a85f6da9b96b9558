import { AsyncLocalStorage } from 'node:async_hooks';

export { millisecondsInDay as DAY, millisecondsInHour as HOUR, millisecondsInMinute as MINUTE, millisecondsInSecond as SECOND } from 'date-fns/constants';

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
