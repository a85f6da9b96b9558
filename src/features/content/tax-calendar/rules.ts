import type { Day } from '#features/base/work-calendars/days.ts';
import type { Conditions, Country } from './profile.ts';

/* Rules for tax dates as data: what is due, for whom, when, by which law, and how sure that is. */

export const KINDS = ['file', 'pay', 'give'] as const;
/** To file something, to pay, or to give something to somebody. */
export type Kind = (typeof KINDS)[number];

/**
 * The periods that something is due for, by their ends: months (or parts of them) that end on days, quarters that end in
 * the months of a number modulo 3, years that end on a day, the client's own tax year, or the due days themselves.
 */
export type Period =
  | { every: 'month'; endsOn?: readonly number[] }
  | { every: 'quarter'; endsOn?: number; shift?: 0 | 1 | 2 }
  | { every: 'year'; endsOn?: string }
  | { every: 'tax year' }
  | { on: readonly string[] };

/**
 * When it is due, from the end of the period: on a day of the month some months later; after months and days, where the
 * last day of a month leads to a last day; on the last day of a month; after days; on the n-th business day of a month (the
 * last for -1); on the n-th business day after; by the last digit of the tax id, the n-th business day on or after a day;
 * or on that day itself.
 */
export type Due =
  | { day: number; months: number }
  | { end: number; days?: number }
  | { last: number }
  | { days: number }
  | { businessDay: number; months: number; saturdayCounts?: true }
  | { businessDaysAfter: number }
  | { block: number; months: number; groups: readonly string[] }
  | 'same day';

/** How a date moves that is no business day: payments that must have arrived move back, unless they are instant. */
export type Roll = 'after' | 'before' | 'pay-before' | 'none';

export interface TaxRule {
  /** Stays the same, since what was moved or marked refers to it. */
  key: string;
  country: Country;
  /** What it is called where it is due, in the language of that country. */
  name: string;
  authority: string;
  kind: Kind;
  /** Whom it concerns: all of these facts of a profile. */
  when: Conditions;
  period: Period;
  due: Due;
  roll: Roll;
  law: string;
  /** Where the rule was read; empty for one that nobody has compared with a source. */
  source: string;
  /** The first and the last due day. */
  from?: Day;
  to?: Day;
  /** The years whose dates somebody has compared with the official ones. */
  confirmed: readonly number[];
}
