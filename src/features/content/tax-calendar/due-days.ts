import { calendarOf, movedDay } from '#features/base/work-calendars/calendar.ts';
import {
  addDays,
  dayOfParts,
  daysInMonth,
  partsOfDay,
  type Day,
} from '#features/base/work-calendars/days.ts';
import {
  addBusinessDays,
  isBusinessDay,
  type TaxCalendar,
} from '#features/base/work-calendars/public-holidays.ts';
import type { Due, Period, Roll, TaxRule } from './rules.ts';

/* When something is due: pure, so that every rule is tested with dates of the authorities. */

/** What the dates of a client are computed with, besides the rule. */
export interface Taxpayer {
  calendar: TaxCalendar;
  /** The last day of the tax year, `MM-DD`; empty for the calendar year. */
  yearEnd: string;
  /** The last digit of the tax id; undefined if it is not known. */
  lastDigit: string | undefined;
}

export interface DueDay {
  /** The last day of the period, which tells the dates of a rule apart. */
  period: Day;
  /** By the rule, and as moved to a business day. */
  nominalOn: Day;
  dueOn: Day;
}

/** The dates of a rule for a taxpayer that are due within these days. */
export function dueDays(
  rule: Pick<TaxRule, 'period' | 'due' | 'roll' | 'from' | 'to'>,
  taxpayer: Taxpayer,
  { from, until }: { from: Day; until: Day },
): DueDay[] {
  return periodEnds(rule.period, taxpayer, { from, until }).flatMap((period) => {
    const nominalOn = nominalDay(rule.due, period, taxpayer);
    if (nominalOn === undefined) return [];
    const dueOn = rolled(nominalOn, rule.roll, taxpayer.calendar);
    const isWithin = dueOn >= from && dueOn <= until;
    const isInForce = dueOn >= (rule.from ?? '') && (rule.to === undefined || dueOn <= rule.to);
    return isWithin && isInForce ? [{ period, nominalOn, dueOn }] : [];
  });
}

/** No rule is due later than so many months after the end of its period, or so many before it. */
const MONTHS_BEFORE = 15;

/** The ends of all periods that may be due within these days, in their order. */
function periodEnds(
  period: Period,
  { yearEnd }: Pick<Taxpayer, 'yearEnd'>,
  { from, until }: { from: Day; until: Day },
): Day[] {
  const first = partsOfDay(from);
  const last = partsOfDay(until);
  const count = (last.year - first.year) * 12 + last.month - first.month + MONTHS_BEFORE + 1;
  const months = Array.from({ length: count + 1 }, (_, index) => {
    const start = partsOfDay(dayOfParts(first.year, first.month - MONTHS_BEFORE + index, 1));
    return { year: start.year, month: start.month };
  });
  return months.flatMap(({ year, month }) =>
    endsInMonth(period, month, yearEnd).map((day) => dayInMonth(year, month, day)),
  );
}

/** The days of a month on which a period ends; 31 for the last one. */
function endsInMonth(period: Period, month: number, yearEnd: string): readonly number[] {
  if ('on' in period) return period.on.filter((day) => monthOf(day) === month).map(dayNumber);
  switch (period.every) {
    case 'month':
      return period.endsOn ?? [31];
    case 'quarter':
      return month % 3 === (period.shift ?? 0) ? [period.endsOn ?? 31] : [];
    case 'year':
      return endOf(period.endsOn ?? '12-31', month);
    case 'tax year':
      return endOf(yearEnd === '' ? '12-31' : yearEnd, month);
  }
}

const monthOf = (monthDay: string): number => Number(monthDay.slice(0, 2));
const dayNumber = (monthDay: string): number => Number(monthDay.slice(3));

/** A year that ends on 28 or 29 February ends on the last day of that month. */
const endOf = (monthDay: string, month: number): number[] =>
  monthOf(monthDay) !== month ? [] : [month === 2 && dayNumber(monthDay) >= 28 ? 31 : dayNumber(monthDay)];

const dayInMonth = (year: number, month: number, day: number): Day =>
  dayOfParts(year, month, Math.min(day, daysInMonth(year, month)));

/** The day by the rule; undefined where it depends on a digit that is not known. */
function nominalDay(due: Due, period: Day, { calendar, lastDigit }: Taxpayer): Day | undefined {
  if (due === 'same day') return period;
  const { year, month } = partsOfDay(period);
  if ('day' in due) return dayInMonth(year, month + due.months, due.day);
  if ('end' in due) return addDays(monthsLater(period, due.end), due.days ?? 0);
  if ('last' in due) return dayInMonth(year, month + due.last, 31);
  if ('days' in due) return addDays(period, due.days);
  if ('businessDaysAfter' in due) return addBusinessDays(calendar, period, due.businessDaysAfter);
  if ('businessDay' in due) return businessDayOf(year, month + due.months, due, calendar);
  const group = due.groups.findIndex((digits) => lastDigit !== undefined && digits.includes(lastDigit));
  if (group < 0) return undefined;
  return addBusinessDays(calendar, addDays(dayOfParts(year, month + due.months, due.block), -1), group + 1);
}

/** Months later; the last day of a month leads to the last day of the other one. */
function monthsLater(period: Day, months: number): Day {
  const { year, month, day } = partsOfDay(period);
  return dayInMonth(year, month + months, day === daysInMonth(year, month) ? 31 : day);
}

/** Saturdays count for wages in Brazil (Instrução Normativa MTP 2/2021). */
const brazil = calendarOf();
const isWorkingDay = (day: Day): boolean => !brazil.isRestDay(day) && brazil.holidayOn(day) === undefined;

function businessDayOf(
  year: number,
  month: number,
  { businessDay, saturdayCounts }: { businessDay: number; saturdayCounts?: true },
  calendar: TaxCalendar,
): Day {
  if (businessDay < 0) return addBusinessDays(calendar, dayOfParts(year, month + 1, 1), businessDay);
  const before = dayOfParts(year, month, 0);
  if (!saturdayCounts) return addBusinessDays(calendar, before, businessDay);
  let day = before;
  for (let left = businessDay; left > 0;) {
    day = addDays(day, 1);
    if (isWorkingDay(day)) left -= 1;
  }
  return day;
}

function rolled(day: Day, roll: Roll, calendar: TaxCalendar): Day {
  const moving = roll === 'pay-before' ? 'before' : roll;
  return movedDay(day, moving, (each) => isBusinessDay(calendar, each));
}
