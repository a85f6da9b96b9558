import { DAY, now } from '#platform/runtime/clock.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import type { Firm, Holiday } from './firms.ts';

const SHOWN_DAYS = 30;

/** The days of the next weeks, today included, on which the firm is closed. */
export function nextHolidays({ holidays, timeZone }: Pick<Firm, 'holidays' | 'timeZone'>): Holiday[] {
  const [from, to] = [dayOf(now(), timeZone), dayOf(now() + SHOWN_DAYS * DAY, timeZone)];
  return holidays.filter(({ date }) => date >= from && date <= to);
}
