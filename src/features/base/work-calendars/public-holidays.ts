import { calendarOf } from './calendar.ts';
import { addDays, dayOfParts, weekdayOf, type Day, type Weekday } from './days.ts';
import { easterOf, yearOf } from './holidays.ts';

/*
 * The holidays that move tax dates, by country and region, as rules. Those of Brazil have their own file (holidays.ts).
 * Regions are those whose holidays differ: nations of the United Kingdom, provinces of Canada.
 */

export const TAX_CALENDARS = [
  'us',
  'gb-eng',
  'gb-sct',
  'gb-nir',
  'ca',
  'ca-on',
  'ca-qc',
  'ca-bc',
  'ca-ab',
  'au',
  'ar',
  'br',
] as const;
export type TaxCalendar = (typeof TAX_CALENDARS)[number];

/** When a holiday is: a day of the year, days after Easter Sunday, or a weekday of a month (-1 for its last). */
type When =
  | readonly [month: number, day: number]
  | { easter: number }
  | { month: number; weekday: Weekday; nth: number }
  | { before: readonly [month: number, day: number]; weekday: Weekday };

/**
 * How a holiday is observed: `nearest` moves Saturday to Friday and Sunday to Monday, `next` to the next day that is free
 * for it, `monday` as Argentina moves holidays (Ley 27.399, art. 6).
 */
type Observed = 'nearest' | 'next' | 'monday';

interface Rule {
  when: When;
  observed?: Observed;
  from?: number;
  /** Every so many years, counted from `from`. */
  every?: number;
}

const on = (month: number, day: number, observed?: Observed, from?: number): Rule => ({
  when: [month, day],
  ...(observed && { observed }),
  ...(from !== undefined && { from }),
});
const easter = (days: number): Rule => ({ when: { easter: days } });
const nth = (month: number, which: number, weekday: Weekday = 1): Rule => ({
  when: { month, weekday, nth: which },
});

/** Federal holidays, and those of the District of Columbia, which move federal tax dates (IRC 7503). */
const UNITED_STATES: readonly Rule[] = [
  on(1, 1, 'nearest'),
  nth(1, 3),
  { when: [1, 20], observed: 'nearest', from: 2025, every: 4 },
  nth(2, 3),
  on(4, 16, 'nearest'),
  nth(5, -1),
  on(6, 19, 'nearest', 2021),
  on(7, 4, 'nearest'),
  nth(9, 1),
  nth(10, 2),
  on(11, 11, 'nearest'),
  nth(11, 4, 4),
  on(12, 25, 'nearest'),
];

const NEW_YEAR = on(1, 1, 'next');
const CHRISTMAS = [on(12, 25, 'next'), on(12, 26, 'next')];
const BRITAIN: readonly Rule[] = [NEW_YEAR, easter(-2), nth(5, 1), nth(5, -1), ...CHRISTMAS];
const ENGLAND: readonly Rule[] = [...BRITAIN, easter(1), nth(8, -1)];

const CANADA: readonly Rule[] = [
  NEW_YEAR,
  easter(-2),
  easter(1),
  { when: { before: [5, 25], weekday: 1 } },
  on(7, 1, 'next'),
  nth(9, 1),
  on(9, 30, 'next', 2021),
  nth(10, 2),
  on(11, 11, 'next'),
  ...CHRISTMAS,
];
const FAMILY_DAY = nth(2, 3);
const CIVIC_HOLIDAY = nth(8, 1);

/** Holidays of all states. Those of one would give a later day only, and which of them count differs by the law. */
const AUSTRALIA: readonly Rule[] = [
  NEW_YEAR,
  on(1, 26, 'next'),
  easter(-2),
  easter(1),
  on(4, 25),
  ...CHRISTMAS,
];

const ARGENTINA: readonly Rule[] = [
  on(1, 1),
  easter(-48),
  easter(-47),
  on(3, 24),
  on(4, 2),
  easter(-2),
  on(5, 1),
  on(5, 25),
  on(6, 17, 'monday'),
  on(6, 20),
  on(7, 9),
  on(8, 17, 'monday'),
  on(10, 12, 'monday'),
  on(11, 20, 'monday'),
  on(12, 8),
  on(12, 25),
];

const RULES: Readonly<Record<Exclude<TaxCalendar, 'br'>, readonly Rule[]>> = {
  us: UNITED_STATES,
  'gb-eng': ENGLAND,
  'gb-sct': [...BRITAIN, on(1, 2, 'next'), nth(8, 1), on(11, 30, 'next')],
  'gb-nir': [...ENGLAND, on(3, 17, 'next'), on(7, 12, 'next')],
  ca: CANADA,
  'ca-on': [...CANADA, FAMILY_DAY, CIVIC_HOLIDAY],
  'ca-qc': [...CANADA, on(6, 24, 'next')],
  'ca-bc': [...CANADA, FAMILY_DAY, CIVIC_HOLIDAY],
  'ca-ab': [...CANADA, FAMILY_DAY, CIVIC_HOLIDAY],
  au: AUSTRALIA,
  ar: ARGENTINA,
};

const weekendDay = (day: Day): boolean => weekdayOf(day) > 5;

const known = new Map<string, ReadonlySet<Day>>();

/** The days on which the holidays of a year are observed; the first may be in the year before. */
function observedDays(calendar: Exclude<TaxCalendar, 'br'>, year: number): ReadonlySet<Day> {
  const key = `${calendar}:${year}`;
  const cached = known.get(key);
  if (cached) return cached;
  const days = new Set<Day>();
  for (const { when, observed, from = 0, every = 1 } of RULES[calendar]) {
    if (year < from || (year - from) % every !== 0) continue;
    days.add(observedDay(dayOfRule(when, year), observed, days));
  }
  known.set(key, days);
  return days;
}

function dayOfRule(when: When, year: number): Day {
  if ('easter' in when) return addDays(easterOf(year), when.easter);
  if ('before' in when) {
    let day = addDays(dayOfParts(year, ...when.before), -1);
    while (weekdayOf(day) !== when.weekday) day = addDays(day, -1);
    return day;
  }
  if (!('month' in when)) return dayOfParts(year, ...when);
  const { month, weekday, nth: which } = when;
  if (which < 0) {
    let last = dayOfParts(year, month + 1, 0);
    while (weekdayOf(last) !== weekday) last = addDays(last, -1);
    return addDays(last, 7 * (which + 1));
  }
  const first = dayOfParts(year, month, 1);
  return addDays(first, ((weekday - weekdayOf(first) + 7) % 7) + 7 * (which - 1));
}

function observedDay(day: Day, observed: Observed | undefined, taken: ReadonlySet<Day>): Day {
  const weekday = weekdayOf(day);
  switch (observed) {
    case 'nearest':
      return weekday === 6 ? addDays(day, -1) : weekday === 7 ? addDays(day, 1) : day;
    case 'next': {
      let free = day;
      while (weekendDay(free) || taken.has(free)) free = addDays(free, 1);
      return free;
    }
    case 'monday':
      if (weekday === 2 || weekday === 3) return addDays(day, 1 - weekday);
      return weekday === 4 || weekday === 5 ? addDays(day, 8 - weekday) : day;
    case undefined:
      return day;
  }
}

const brazil = calendarOf();

/** Whether tax authorities and banks of a calendar work on a day: no weekend and no holiday. */
export function isBusinessDay(calendar: TaxCalendar, day: Day): boolean {
  if (calendar === 'br') return brazil.isBankDay(day);
  if (weekendDay(day)) return false;
  const year = yearOf(day);
  return ![year, year + 1].some((each) => observedDays(calendar, each).has(day));
}

/** The business day so many business days after a day, or before it; the day itself does not count. */
export function addBusinessDays(calendar: TaxCalendar, from: Day, count: number): Day {
  const step = count < 0 ? -1 : 1;
  let day = from;
  for (let left = Math.abs(count); left > 0;) {
    day = addDays(day, step);
    if (isBusinessDay(calendar, day)) left -= 1;
  }
  return day;
}
