import { dayOfParts, daysInMonth, partsOfDay, type Day } from '#features/base/work-calendars/days.ts';
import { movedDay } from '#features/base/work-calendars/calendar.ts';
import { isBusinessDay, type TaxCalendar } from '#features/base/work-calendars/public-holidays.ts';
import type { DueDay } from './due-days.ts';
import type { Repeat } from './tax-calendar.ts';

const MONTHS = { once: 0, monthly: 1, quarterly: 3, yearly: 12 } as const satisfies Record<Repeat, number>;

/** A date that the firm added. */
export interface OwnDate {
  startsOn: Day;
  repeats: Repeat;
  roll: 'after' | 'before' | 'none';
}

/** The days within these on which a date that the firm added is due; a day that a month lacks is its last. */
export function ownDueDays(
  { startsOn, repeats, roll }: OwnDate,
  calendar: TaxCalendar,
  { from, until }: { from: Day; until: Day },
): DueDay[] {
  const { year, month, day } = partsOfDay(startsOn);
  const days: DueDay[] = [];
  for (let later = 0, nominalOn = startsOn; nominalOn <= until;) {
    const dueOn = movedDay(nominalOn, roll, (each) => isBusinessDay(calendar, each));
    if (dueOn >= from && dueOn <= until) days.push({ period: nominalOn, nominalOn, dueOn });
    if (repeats === 'once') break;
    later += MONTHS[repeats];
    nominalOn = dayOfParts(year, month + later, Math.min(day, daysInMonth(year, month + later)));
  }
  return days;
}
