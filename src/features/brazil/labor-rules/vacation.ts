import { addDays, addMonths, type Day } from '#features/base/work-calendars/days.ts';

/* What an employee is entitled to, and what is planned of it (CLT, arts. 129-145). */

export interface VacationPart {
  start: Day;
  days: number;
}

export interface VacationPlan {
  /** The first day of the year of work that earned the vacation. */
  periodStart: Day;
  /** Days of unjustified absence in that year. */
  absences: number;
  parts: readonly VacationPart[];
  /** Days that are sold. */
  soldDays: number;
}

/** The years of work and of use: the vacation is earned in the first one, and must be taken within the second one. */
export interface VacationPeriod {
  start: Day;
  end: Day;
  /** The last day on which the vacation may end. */
  useBy: Day;
}

const YEAR = 12;

export const periodFrom = (start: Day): VacationPeriod => ({
  start,
  end: addDays(addMonths(start, YEAR), -1),
  useBy: addDays(addMonths(start, 2 * YEAR), -1),
});

/** The newest year of work that is complete on a day, of somebody admitted on another; the first year if none is. */
export function periodBefore(day: Day, admission: Day): VacationPeriod {
  let years = 0;
  while (addMonths(admission, (years + 2) * YEAR) <= day) years++;
  return periodFrom(addMonths(admission, years * YEAR));
}

/** Days of vacation by unjustified absences (CLT, art. 130). */
export function entitledDays(absences: number): number {
  if (absences <= 5) return 30;
  if (absences <= 14) return 24;
  if (absences <= 23) return 18;
  return absences <= 32 ? 12 : 0;
}

/** At most a third may be sold, in whole days (CLT, art. 143). */
export const sellableDays = (entitled: number): number => Math.floor(entitled / 3);

const LONG_PART = 14;
const SHORT_PART = 5;
const MAX_PARTS = 3;

/** Into how many parts so many days can be divided: one of 14 days or more, the others of 5 or more (art. 134, § 1º). */
export const maxParts = (days: number): number =>
  Math.max(1, Math.min(MAX_PARTS, 1 + Math.floor((days - LONG_PART) / SHORT_PART)));

/** Whether parts are a division of the days, or can still become one by parts that are not planned yet. */
export function isDivision(parts: readonly number[], days: number): boolean {
  const left = days - parts.reduce((sum, each) => sum + each, 0);
  if (left < 0 || parts.some((each) => each < 1)) return false;
  if (left > 0)
    return [left, ...splitsOf(left)].some((rest) => isDivision([...parts, ...[rest].flat()], days));
  if (parts.length <= 1) return true;
  return (
    parts.length <= maxParts(days) &&
    parts.every((each) => each >= SHORT_PART) &&
    parts.some((each) => each >= LONG_PART)
  );
}

/** What is left as two parts. */
const splitsOf = (days: number): [number, number][] =>
  Array.from({ length: Math.max(0, days - 1) }, (_, at) => [at + 1, days - at - 1]);

export const lastDayOf = ({ start, days }: VacationPart): Day => addDays(start, days - 1);

/** What is recorded of a year of work. */
export interface RecordedPeriod {
  startsOn: Day;
  absences: number;
  takenDays: number;
  soldDays: number;
}

interface OpenPeriod extends VacationPeriod {
  leftDays: number;
}

/**
 * The complete years of work since an admission that have vacation left, the oldest first. Years before the first one that
 * is recorded are over; of those without a record nothing was taken.
 */
export function openPeriods(admission: Day, recorded: readonly RecordedPeriod[], today: Day): OpenPeriod[] {
  const [first] = recorded.map(({ startsOn }) => startsOn).toSorted();
  const found: OpenPeriod[] = [];
  for (let years = 0; addMonths(admission, (years + 1) * YEAR) <= today; years++) {
    const period = periodFrom(addMonths(admission, years * YEAR));
    const known = recorded.find(({ startsOn }) => startsOn === period.start);
    const isOver =
      known === undefined && (period.useBy < today || (first !== undefined && period.start < first));
    const { absences = 0, takenDays = 0, soldDays = 0 } = known ?? {};
    const leftDays = entitledDays(absences) - takenDays - soldDays;
    if (!isOver && leftDays > 0) found.push({ ...period, leftDays });
  }
  return found;
}
