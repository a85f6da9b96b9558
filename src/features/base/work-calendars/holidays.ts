import { addDays, dayOfParts, partsOfDay, type Day } from './days.ts';
import { LOCAL_HOLIDAYS } from './local-holidays.ts';

/*
 * The holidays of Brazil as rules. Only holidays by law count for deadlines: the days of Carnival and Corpus Christi are
 * optional days, on which banks are closed.
 */

interface HolidayRule {
  key: HolidayKey;
  /** A fixed day, or days after Easter Sunday. */
  on: readonly [month: number, day: number] | { easter: number };
  kind: 'holiday' | 'banks';
  /** The first year. */
  from?: number;
  law: string;
  /** False until somebody has compared it with the law. */
  confirmed: boolean;
}

type HolidayKey =
  | 'newYear'
  | 'goodFriday'
  | 'tiradentes'
  | 'labourDay'
  | 'independence'
  | 'aparecida'
  | 'allSouls'
  | 'republic'
  | 'blackAwareness'
  | 'christmas'
  | 'carnival'
  | 'corpusChristi'
  | 'local';

const national = (key: HolidayKey, on: HolidayRule['on'], law: string, from?: number): HolidayRule => ({
  key,
  on,
  kind: 'holiday',
  law,
  confirmed: true,
  ...(from !== undefined && { from }),
});
const banks = (key: HolidayKey, easter: number): HolidayRule => ({
  key,
  on: { easter },
  kind: 'banks',
  law: 'Resolução CMN 4.880/2020',
  confirmed: false,
});
const RULES: readonly HolidayRule[] = [
  national('newYear', [1, 1], 'Lei 662/1949'),
  national('goodFriday', { easter: -2 }, 'Lei 9.093/1995, art. 2º'),
  national('tiradentes', [4, 21], 'Lei 662/1949'),
  national('labourDay', [5, 1], 'Lei 662/1949'),
  national('independence', [9, 7], 'Lei 662/1949'),
  national('aparecida', [10, 12], 'Lei 6.802/1980'),
  national('allSouls', [11, 2], 'Lei 662/1949'),
  national('republic', [11, 15], 'Lei 662/1949'),
  national('blackAwareness', [11, 20], 'Lei 14.759/2023', 2024),
  national('christmas', [12, 25], 'Lei 662/1949'),
  banks('carnival', -48),
  banks('carnival', -47),
  banks('corpusChristi', 60),
];

export interface Holiday {
  key: HolidayKey;
  day: Day;
  kind: HolidayRule['kind'];
  law: string;
  confirmed: boolean;
  /** Of one of a state or city, or added by a firm; in Portuguese. */
  name?: string;
}

/** What a firm has decided about a holiday of a place, or one that it has added. */
export interface DecidedHoliday {
  /** `BR`, a state (ISO 3166-2) or a city (IBGE). */
  place: string;
  /** `07-09`. */
  monthDay: string;
  /** 0 for each year. */
  year: number;
  name: string;
  decision: 'confirmed' | 'muted' | 'added';
}

/** Easter Sunday of a year of the Gregorian calendar, by the algorithm of Meeus, Jones and Butcher. */
export function easterOf(year: number): Day {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = Math.floor(b / 4);
  const e = b % 4;
  const f = Math.floor((b + 8) / 25);
  const g = Math.floor((b - f + 1) / 3);
  const h = (19 * a + b - d - g + 15) % 30;
  const i = Math.floor(c / 4);
  const k = c % 4;
  const l = (32 + 2 * e + 2 * i - h - k) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const sum = h + l - 7 * m + 114;
  return dayOfParts(year, Math.floor(sum / 31), (sum % 31) + 1);
}

/**
 * The holidays of a year, in the whole country and in these states (`BR-SP`) and cities (IBGE), as a firm has decided about
 * them.
 */
export function holidaysOf(
  year: number,
  places: readonly string[] = [],
  decided: readonly DecidedHoliday[] = [],
): Holiday[] {
  const easter = easterOf(year);
  const national = RULES.filter(({ from = 0 }) => year >= from).map(
    ({ key, on, kind, law, confirmed }): Holiday => ({
      key,
      day: 'easter' in on ? addDays(easter, on.easter) : dayOfParts(year, on[0], on[1]),
      kind,
      law,
      confirmed,
    }),
  );
  return [
    ...national,
    ...localHolidays(year, places, decided),
    ...addedHolidays(year, places, decided),
  ].toSorted((one, other) => (one.day < other.day ? -1 : 1));
}

const LOCAL_LAW = 'Lei 9.093/1995';

function localHolidays(
  year: number,
  places: readonly string[],
  decided: readonly DecidedHoliday[],
): Holiday[] {
  return LOCAL_HOLIDAYS.filter(([where]) => places.includes(where)).flatMap(([where, monthDay, name]) => {
    const decision = decided.find(
      (each) => each.decision !== 'added' && each.place === where && each.monthDay === monthDay,
    )?.decision;
    if (decision === 'muted') return [];
    const confirmed = decision === 'confirmed';
    return [{ key: 'local', day: `${year}-${monthDay}`, kind: 'holiday', law: LOCAL_LAW, confirmed, name }];
  });
}

/** 29 February is added for years that have it. */
const addedHolidays = (
  year: number,
  places: readonly string[],
  decided: readonly DecidedHoliday[],
): Holiday[] =>
  decided
    .filter(
      (each) =>
        each.decision === 'added' &&
        (each.place === 'BR' || places.includes(each.place)) &&
        (each.year === 0 || each.year === year),
    )
    .map(({ monthDay, name }) => ({ day: `${year}-${monthDay}`, name }))
    .filter(({ day }) => partsOfDay(addDays(day, 0)).month === Number(day.slice(5, 7)))
    .map(({ day, name }) => ({
      key: 'local',
      day,
      kind: 'holiday',
      law: LOCAL_LAW,
      confirmed: true,
      name,
    }));

/** The year of a day. */
export const yearOf = (day: Day): number => partsOfDay(day).year;
