import { movedDay, type WorkCalendar } from '#features/base/work-calendars/calendar.ts';
import { addDays, dayOfParts, daysInMonth, type Day } from '#features/base/work-calendars/days.ts';

/* The months of sheets, such as `2026-11`, and when they are due. Pure. */

const partsOf = (competence: string): [year: number, month: number] => [
  Number(competence.slice(0, 4)),
  Number(competence.slice(5)),
];

export const monthOf = (day: Day): string => day.slice(0, 7);
export const daysOfMonth = (competence: string): number => daysInMonth(...partsOf(competence));
export const firstDay = (competence: string): Day => `${competence}-01`;
export const lastDay = (competence: string): Day =>
  dayOfParts(...partsOf(competence), daysOfMonth(competence));

/** The month before or after. */
export const previousMonth = (competence: string): string => monthOf(addDays(firstDay(competence), -1));
const nextMonth = (competence: string): string => monthOf(addDays(lastDay(competence), 1));

/** The months from one to another, at most a year; none if the other is earlier. */
export function monthsFrom(from: string, to: string): string[] {
  const months: string[] = [];
  for (let month = from; month <= to && months.length < 12; month = nextMonth(month)) months.push(month);
  return months;
}

/** The day by which a sheet is due: a day of its month, or the last business day before it. */
export function dueOn(competence: string, dueDay: number, { isBankDay }: WorkCalendar): Day {
  const day = dayOfParts(...partsOf(competence), Math.min(dueDay, daysOfMonth(competence)));
  return movedDay(day, 'before', isBankDay);
}

/** The days on which is reminded of a sheet: five business days before, the day before, the day itself, and the day after. */
export function noticesOf(due: Day, { isBankDay }: WorkCalendar): readonly Day[] {
  let early = due;
  for (let left = 5; left > 0; left -= isBankDay(early) ? 1 : 0) early = addDays(early, -1);
  return [early, addDays(due, -1), due, addDays(due, 1)];
}

/** The day of the next reminder after a day; empty if there is none. */
export const nextNoticeOn = (due: Day, after: Day, calendar: WorkCalendar): Day =>
  noticesOf(due, calendar).find((day) => day > after) ?? '';
