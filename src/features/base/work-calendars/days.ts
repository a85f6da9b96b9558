/*
 * Days of the calendar, `2026-11-28`, for the server and the browser. They are reckoned in UTC, so that no time zone or
 * change of clocks moves one; the functions of date-fns reckon in the zone of the machine.
 */

/** A day that exists, in ISO 8601. */
export type Day = string;

const DAY_MS = 86_400_000;

const epochDay = (day: Day): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS;
const dayAt = (epoch: number): Day => new Date(epoch * DAY_MS).toISOString().slice(0, 10);

/** The day of a year, month (from 1) and day of the month; what is beyond the month runs into the next ones. */
export const dayOfParts = (year: number, month: number, day: number): Day =>
  dayAt(Date.UTC(year, month - 1, day) / DAY_MS);

export const partsOfDay = (day: Day): { year: number; month: number; day: number } => ({
  year: Number(day.slice(0, 4)),
  month: Number(day.slice(5, 7)),
  day: Number(day.slice(8)),
});

export const addDays = (day: Day, days: number): Day => dayAt(epochDay(day) + days);

/** How many days after the first day the second one is. */
export const daysBetween = (from: Day, to: Day): number => epochDay(to) - epochDay(from);

/**
 * The day of the same number so many months later; if that month has no such day, the first of the next one
 * (Código Civil, art. 132, § 3º).
 */
export function addMonths(day: Day, months: number): Day {
  const { year, month, day: number } = partsOfDay(day);
  const isMissing = number > daysInMonth(year, month + months);
  return isMissing ? dayOfParts(year, month + months + 1, 1) : dayOfParts(year, month + months, number);
}

/** How many days a month has; months beyond 12 are those of the next years. */
export const daysInMonth = (year: number, month: number): number =>
  new Date(Date.UTC(year, month, 0)).getUTCDate();

/** From 1, Monday, to 7, Sunday. */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7;
export const weekdayOf = (day: Day): Weekday => (new Date(`${day}T00:00:00Z`).getUTCDay() || 7) as Weekday;

/** Complete years from one day to another; 0 if the second is earlier. */
export function fullYears(from: Day, to: Day): number {
  const years = partsOfDay(to).year - partsOfDay(from).year;
  return Math.max(0, addMonths(from, years * 12) <= to ? years : years - 1);
}

/** The earlier and the later of two days. */
export const earlierOf = (one: Day, other: Day): Day => (one < other ? one : other);
export const laterOf = (one: Day, other: Day): Day => (one > other ? one : other);
