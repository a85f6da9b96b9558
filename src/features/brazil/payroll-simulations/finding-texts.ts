import type { Day } from '#features/base/work-calendars/days.ts';
import { formatDate, formatMoney, formatNumber } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import type { Keys, T } from '#platform/text/messages.ts';
import type messages from '../../../../locales/en-us/payroll-simulations.json';

/* The values of what rules and estimates say, as people read them; for the server and the browser. */

export type Key = Keys<typeof messages>;

const IS_DAY = /^\d{4}-\d\d-\d\d$/;

/** A day as a date of the language. */
export const dateText = (day: Day, lang: Lang): string => formatDate(LANGUAGES[lang], day, 'UTC');

export const moneyText = (cents: number, lang: Lang): string =>
  formatMoney(LANGUAGES[lang], cents / 100, 'BRL');

const HOLIDAYS = {
  rest: 'holidayRest',
  newYear: 'holidayNewYear',
  goodFriday: 'holidayGoodFriday',
  tiradentes: 'holidayTiradentes',
  labourDay: 'holidayLabourDay',
  independence: 'holidayIndependence',
  aparecida: 'holidayAparecida',
  allSouls: 'holidayAllSouls',
  republic: 'holidayRepublic',
  blackAwareness: 'holidayBlackAwareness',
  christmas: 'holidayChristmas',
  local: 'holidayLocal',
} as const satisfies Record<string, Key>;

const isHoliday = (name: string): name is keyof typeof HOLIDAYS => Object.hasOwn(HOLIDAYS, name);

/** The translations that values need. */
export const holidayKeys: readonly Key[] = [...Object.values(HOLIDAYS), 'holidayUnconfirmed'];

/** The values of a text, formatted: `dueCents` becomes `due`, days become dates, and holidays their names. */
export function textVars(
  vars: Readonly<Record<string, string | number>>,
  t: T<Key>,
  lang: Lang,
): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(vars).map(([name, value]) => {
      if (name === 'count') return [name, value]; // decides the form of the noun
      if (name === 'year') return [name, String(value)];
      if (typeof value === 'number')
        return name.endsWith('Cents')
          ? [name.slice(0, -'Cents'.length), moneyText(value, lang)]
          : [name, formatNumber(LANGUAGES[lang], value)];
      if (IS_DAY.test(value)) return [name, dateText(value, lang)];
      if (value.startsWith('?')) return [name, t('holidayUnconfirmed', { name: value.slice(1) })];
      return [name, isHoliday(value) ? t(HOLIDAYS[value]) : value];
    }),
  );
}
