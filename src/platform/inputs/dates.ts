import { isExists } from 'date-fns/isExists';

/*
 * Dates of forms, for the server and the browser: `2026-02-28`, however the page asks for them. A date that is not
 * complete keeps its parts, so that the page can show them again: `2026--28`.
 */

export interface DateParts {
  year: string;
  month: string;
  day: string;
}

/** The first and the last date that may be chosen. */
export interface DateLimits {
  min: string;
  max: string;
}

const ISO_DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

export function isDate(value: string): boolean {
  const [, year, month, day] = ISO_DATE.exec(value) ?? [];
  return year !== undefined && isExists(Number(year), Number(month) - 1, Number(day));
}

/** The parts of a date; each may be empty. */
export function datePartsOf(value: string): DateParts {
  const [, year = '', month = '', day = ''] = /^(\d*)-(\d*)-(\d*)$/.exec(value) ?? [];
  return { year, month, day };
}

/** The date of the parts; empty if all are. */
export const dateOfParts = ({ year, month, day }: DateParts): string =>
  year + month + day === '' ? '' : `${year}-${month}-${day}`;

/** The years to choose from: by default from 100 years ago to 50 years ahead (spec 2, section 9). */
export const yearLimits = (
  year: number,
  { before, after }: { before: number; after: number } = { before: 100, after: 50 },
): DateLimits => ({
  min: `${year - before}-01-01`,
  max: `${year + after}-12-31`,
});

/** The years, months or days to choose from; a month and its days depend on what is chosen before them. */
export function choosableParts({ year, month }: Pick<DateParts, 'year' | 'month'>, { min, max }: DateLimits) {
  const [first, last] = [datePartsOf(min), datePartsOf(max)];
  const [isFirstYear, isLastYear] = [year === first.year, year === last.year];
  const days = month === '' ? 31 : new Date(Number(year) || LEAP_YEAR, Number(month), 0).getDate();
  return {
    years: range(Number(first.year), Number(last.year), 4),
    months: range(isFirstYear ? Number(first.month) : 1, isLastYear ? Number(last.month) : 12, 2),
    days: range(
      isFirstYear && month === first.month ? Number(first.day) : 1,
      isLastYear && month === last.month ? Number(last.day) : days,
      2,
    ),
  };
}

/** Until a year is chosen, 29 February may be. */
const LEAP_YEAR = 2000;

const range = (from: number, to: number, digits: number): string[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) =>
    String(from + index).padStart(digits, '0'),
  );
