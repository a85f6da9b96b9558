import { MINUTE, now, SECOND } from '#platform/clock.server.ts';
import type { WhyNot } from './viewer.ts';

/* Files that are not read again for a while, by the digests of their bytes. */

/** Files that ended the thread once. */
const DEADLY_FOR = 2 * MINUTE;
/** Files that took too much processor time for one page, with the number of times. */
const HEAVY = 2 * SECOND;
const HEAVY_TIMES = 2;
const TOO_HEAVY_FOR = 10 * MINUTE;
const MAX_FILES = 1000;

const refused = new Map<string, { why: WhyNot; until: number }>();
const heavyTimes = new Map<string, number>();

/** Returns why a file is not read now; undefined if it may be. */
export function whyRefused(key: string): WhyNot | undefined {
  const found = refused.get(key);
  return found && found.until > now() ? found.why : undefined;
}

/** Records that reading this file ended the thread. */
export const noteDeadly = (key: string): void => refuse(key, 'broken', DEADLY_FOR);

/** Records how much processor time a page of this file took, in ms. */
export function noteTime(key: string, time: number): void {
  if (time <= HEAVY) return;
  const times = (heavyTimes.get(key) ?? 0) + 1;
  heavyTimes.delete(key);
  if (times < HEAVY_TIMES) heavyTimes.set(key, times);
  else refuse(key, 'tooHeavy', TOO_HEAVY_FOR);
  forgetOldest(heavyTimes);
}

function refuse(key: string, why: WhyNot, time: number): void {
  refused.delete(key);
  refused.set(key, { why, until: now() + time });
  forgetOldest(refused);
}

function forgetOldest(files: Map<string, unknown>): void {
  for (const oldest of [...files.keys()].slice(0, Math.max(0, files.size - MAX_FILES))) files.delete(oldest);
}
