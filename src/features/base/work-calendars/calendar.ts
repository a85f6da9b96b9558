import { addDays, weekdayOf, type Day, type Weekday } from './days.ts';
import { holidaysOf, yearOf, type DecidedHoliday, type Holiday } from './holidays.ts';

/* What a day is for a workplace: a holiday, a day of rest, a day on which banks work. */

export interface WorkCalendar {
  holidayOn: (day: Day) => Holiday | undefined;
  isRestDay: (day: Day) => boolean;
  /** A weekday without a holiday and with open banks. 31 December is one, although banks then serve nobody at the counter. */
  isBankDay: (day: Day) => boolean;
}

export interface Workplace {
  /** The weekly days of rest. */
  restDays?: readonly Weekday[];
  /** The states and cities whose holidays count. */
  places?: readonly string[];
  /** Holidays of the workplace itself. */
  own?: readonly Day[];
  /** What the firm has decided about holidays. */
  decided?: readonly DecidedHoliday[];
}

/** Returns the calendar of a workplace: without more, national holidays and the Sunday as the day of rest. */
export function calendarOf({
  restDays = [7],
  places = [],
  own = [],
  decided = [],
}: Workplace = {}): WorkCalendar {
  const years = new Map<number, ReadonlyMap<Day, Holiday>>();
  const daysOf = (year: number): ReadonlyMap<Day, Holiday> => {
    const known = years.get(year);
    if (known) return known;
    const days = new Map(holidaysOf(year, places, decided).map((holiday) => [holiday.day, holiday]));
    years.set(year, days);
    return days;
  };
  const found = (day: Day): Holiday | undefined =>
    own.includes(day)
      ? { key: 'local', day, kind: 'holiday', law: '', confirmed: true }
      : daysOf(yearOf(day)).get(day);
  return {
    holidayOn: (day) => {
      const holiday = found(day);
      return holiday?.kind === 'holiday' ? holiday : undefined;
    },
    isRestDay: (day) => restDays.includes(weekdayOf(day)),
    isBankDay: (day) => weekdayOf(day) <= 5 && found(day) === undefined,
  };
}

/** How a due day moves that falls on a day without business. */
export type Moving = 'before' | 'after' | 'none';

/** The due day, moved to a day on which business is done. */
export function movedDay(day: Day, moving: Moving, isOpen: (day: Day) => boolean): Day {
  if (moving === 'none') return day;
  let moved = day;
  while (!isOpen(moved)) moved = addDays(moved, moving === 'before' ? -1 : 1);
  return moved;
}
