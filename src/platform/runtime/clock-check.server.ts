import { followClock, machineTime, MINUTE, SECOND } from './clock.server.ts';
import { databaseClock, isShared } from '../database/database.server.ts';
import { log } from '../monitoring/log.server.ts';

/*
 * Nodes of one database must agree on the time: what one writes, others let expire. The portal's clock follows that of
 * the database; a node whose own clock differs much still signs, logs and talks to others with the wrong time.
 */

const EVERY = MINUTE;
/** From which difference on a warning is logged, and from which one the node does not work (ms). */
const NOTED = 2 * SECOND;
const MAX_CLOCK_DIFFERENCE = 30 * SECOND;
const SAMPLES = 3;

let difference: number | undefined;
let comparing: NodeJS.Timeout | undefined;

/** Compares the clocks now, and every minute. */
export async function startComparingClocks(): Promise<void> {
  if (!isShared) return;
  await compareClocks();
  comparing = setInterval(
    () =>
      void compareClocks().catch((error: unknown) => log.warn({ event: 'clock.not-compared', err: error })),
    EVERY,
  ).unref();
}

export const stopComparingClocks = (): void => clearInterval(comparing);

/** How far this machine's clock is ahead of the database's (ms); undefined when they were never compared. */
export const clockDifference = (): number | undefined => difference;

/** Whether the clock of this machine is so wrong that it must neither do jobs nor delete what has expired. */
export const isClockWrong = (): boolean => Math.abs(difference ?? 0) > MAX_CLOCK_DIFFERENCE;

/** Compares the clock of this machine with that of the database, by the quickest of some answers. */
export async function compareClocks(): Promise<number> {
  let quickest = { took: Infinity, time: 0, at: 0, own: 0 };
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const began = performance.now();
    const time = await databaseClock();
    const took = performance.now() - began;
    if (took < quickest.took) quickest = { took, time, at: began + took / 2, own: machineTime() - took / 2 };
  }
  followClock(quickest.time, quickest.at);
  difference = Math.round(quickest.own - quickest.time);
  if (Math.abs(difference) > NOTED) log.warn({ event: 'clock.differs', ms: difference });
  return difference;
}
