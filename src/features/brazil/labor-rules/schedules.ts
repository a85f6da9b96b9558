import type { Weekday } from '#features/base/work-calendars/days.ts';
import { sumOf } from './amounts.ts';

/* A weekly schedule, in minutes from midnight. A day that ends after midnight goes on beyond 24 hours. */

export interface ScheduledDay {
  weekday: Weekday;
  start: number;
  end: number;
  /** The break within the day, if there is one. */
  pause?: { start: number; end: number };
}

const HOUR = 60;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

export const minutesOfDay = ({ start, end, pause }: ScheduledDay): number =>
  end - start - (pause ? pause.end - pause.start : 0);

export const minutesOfWeek = (days: readonly ScheduledDay[]): number => sumOf(days.map(minutesOfDay));

/** The break that a day needs: an hour of more than six, a quarter of more than four (CLT, art. 71). */
function neededPause(day: ScheduledDay): number {
  const worked = minutesOfDay(day);
  if (worked > 6 * HOUR) return HOUR;
  return worked > 4 * HOUR ? HOUR / 4 : 0;
}

/** The days whose break is too short. */
export const daysWithShortPause = (days: readonly ScheduledDay[]): ScheduledDay[] =>
  days.filter((day) => (day.pause ? day.pause.end - day.pause.start : 0) < neededPause(day));

/** The rests between the days of a week, and between its last day and the first of the next week. */
export function restsOf(days: readonly ScheduledDay[]): number[] {
  const spans = days
    .map(({ weekday, start, end }) => {
      const midnight = (weekday - 1) * DAY;
      return { start: midnight + start, end: midnight + end };
    })
    .toSorted((one, other) => one.start - other.start);
  const [first] = spans;
  if (!first) return [];
  return spans.map(({ end }, at) => (spans[at + 1]?.start ?? first.start + WEEK) - end);
}

const NIGHT_FROM = 22 * HOUR;
const NIGHT_TO = 5 * HOUR;

/** Whether a day is worked between 22:00 and 05:00 (CLT, art. 73). */
export const isNight = ({ start, end }: ScheduledDay): boolean => start < NIGHT_TO || end > NIGHT_FROM;
