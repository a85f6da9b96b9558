import {
  addDays,
  addMonths,
  dayOfParts,
  daysBetween,
  daysInMonth,
  earlierOf,
  laterOf,
  type Day,
} from '#features/base/work-calendars/days.ts';

/* Months of a contract, as twelfths of the 13th salary and of vacations. Half a month counts as one. */

const HALF = 15;
const YEAR = 12;

/** The months of a calendar year in which the contract lasted 15 days or more (Lei 4.090/1962, art. 1º, § 2º). */
export const monthsOfYear = (year: number, from: Day, to: Day): number =>
  Array.from({ length: YEAR }, (_, at) => {
    const first = laterOf(from, dayOfParts(year, at + 1, 1));
    const last = earlierOf(to, dayOfParts(year, at + 1, daysInMonth(year, at + 1)));
    return daysBetween(first, last) + 1;
  }).filter((days) => days >= HALF).length;

/** The months from an anniversary of the admission, at most a year, with the rest if it has 15 days or more (CLT, art. 146). */
export function monthsSince(start: Day, to: Day): number {
  const after = addDays(to, 1);
  let months = 0;
  while (months < YEAR && addMonths(start, months + 1) <= after) months++;
  const rest = daysBetween(addMonths(start, months), after);
  return months < YEAR && rest >= HALF ? months + 1 : months;
}
