import { addDays, dayOf } from '#platform/text/time-zones.ts';

/** Days are those of Brasília. */
const ZONE = 'America/Sao_Paulo';
/** People are told so many days before a certificate ends, and the day after. */
const TOLD = [30, 7, 1, -1] as const;

/** The next day after an instant on which people are told that a certificate ends; empty for none. */
export function nextNoticeOn(validTo: number, after: number): string {
  const [last, today] = [dayOf(validTo, ZONE), dayOf(after, ZONE)];
  return TOLD.map((days) => addDays(last, -days)).find((day) => day > today) ?? '';
}

/** The days until a certificate ends: 0 on the day itself, negative after it. */
export const daysLeft = (validTo: number, at: number): number =>
  Temporal.PlainDate.from(dayOf(at, ZONE)).until(Temporal.PlainDate.from(dayOf(validTo, ZONE))).days;

export const today = (at: number): string => dayOf(at, ZONE);
