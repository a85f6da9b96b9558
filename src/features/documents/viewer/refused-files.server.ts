import { MINUTE, SECOND } from '#platform/runtime/clock.server.ts';
import { ExpiringMap } from '#platform/runtime/expiring-map.server.ts';
import type { ViewRefusal } from './viewer.ts';

/* Files that are not read again for a while, by the digests of their bytes. */

/** Files that ended the thread once. */
const CRASH_BLOCK = 2 * MINUTE;
/** A file is blocked if its pages take more than `HEAVY` of processor time `HEAVY_TIMES` times within `HEAVY_BLOCK`. */
const HEAVY = 2 * SECOND;
const HEAVY_TIMES = 2;
const HEAVY_BLOCK = 10 * MINUTE;
const MAX_FILES = 1000;

const refused = new ExpiringMap<ViewRefusal>(MAX_FILES);
const heavyTimes = new ExpiringMap<number>(MAX_FILES);

/** Returns why a file is not read now; undefined if it may be. */
export const refusalOf = (key: string): ViewRefusal | undefined => refused.get(key);

/** Records that reading this file ended the thread. */
export const noteCrash = (key: string, because: ViewRefusal): void => refused.set(key, because, CRASH_BLOCK);

/** Records how much processor time a page of this file took, in ms. */
export function noteTime(key: string, time: number): void {
  if (time <= HEAVY) return;
  const times = (heavyTimes.get(key) ?? 0) + 1;
  heavyTimes.delete(key);
  if (times < HEAVY_TIMES) heavyTimes.set(key, times, HEAVY_BLOCK);
  else refused.set(key, 'tooHeavy', HEAVY_BLOCK);
}
