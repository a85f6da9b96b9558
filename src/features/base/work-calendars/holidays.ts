import { addDays, dayOfParts, partsOfDay, type Day } from './days.ts';

/*
 * The holidays of Brazil as rules. Only holidays by law count for deadlines: the days of Carnival and Corpus Christi are
 * optional days, on which banks are closed.
 */

interface HolidayRule {
  key: HolidayKey;
  /** A fixed day, or days after Easter Sunday. */
  on: readonly [month: number, day: number] | { easter: number };
  kind: 'holiday' | 'banks';
  /** A state (ISO 3166-2) or a city (IBGE); the whole country by default. */
  where?: string;
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
const local = (where: string, month: number, day: number): HolidayRule => ({
  key: 'local',
  on: [month, day],
  kind: 'holiday',
  where,
  law: 'Lei 9.093/1995',
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
  local('BR-SP', 7, 9),
  local('BR-RJ', 4, 23),
  local('BR-BA', 7, 2),
  local('BR-RS', 9, 20),
  local('3550308', 1, 25), // São Paulo
  local('3304557', 1, 20), // Rio de Janeiro
];

export interface Holiday {
  key: HolidayKey;
  day: Day;
  kind: HolidayRule['kind'];
  law: string;
  confirmed: boolean;
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

/** The holidays of a year, in the whole country and in these states (`BR-SP`) and cities (IBGE). */
export function holidaysOf(year: number, places: readonly string[] = []): Holiday[] {
  const easter = easterOf(year);
  return RULES.filter(
    ({ where, from = 0 }) => (where === undefined || places.includes(where)) && year >= from,
  )
    .map(({ key, on, kind, law, confirmed }) => ({
      key,
      day: 'easter' in on ? addDays(easter, on.easter) : dayOfParts(year, on[0], on[1]),
      kind,
      law,
      confirmed,
    }))
    .toSorted((one, other) => (one.day < other.day ? -1 : 1));
}

/** The year of a day. */
export const yearOf = (day: Day): number => partsOfDay(day).year;
