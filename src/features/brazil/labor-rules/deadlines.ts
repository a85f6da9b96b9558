import { dayOfParts, partsOfDay, type Day } from '#features/base/work-calendars/days.ts';

/** The 15th of the next month, by which eSocial takes most events. */
export function nextFifteenth(day: Day): Day {
  const { year, month } = partsOfDay(day);
  return dayOfParts(year, month + 1, 15);
}
