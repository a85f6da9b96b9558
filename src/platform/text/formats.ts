import { clockLocale } from './clock-locale.ts';

/** Formats numbers, sizes and dates for a locale. Formatters are cached. */
const formatters = new Map<string, unknown>();

function cached<F>(id: string, make: () => F): F {
  const known = formatters.get(id) as F | undefined;
  if (known) return known;
  const created = make();
  formatters.set(id, created);
  return created;
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** A size of `bytes` with at most one decimal: "1.4 MB". A kilobyte is 1,000 bytes. */
export function formatSize(locale: string, bytes: number): string {
  const power = UNITS.findIndex(
    (_, i) => i === UNITS.length - 1 || Math.round((bytes / 1000 ** i) * 10) < 10_000,
  );
  const unit = UNITS[power] ?? 'byte';
  const format = cached(
    `${locale}:${unit}`,
    () =>
      new Intl.NumberFormat(locale, {
        style: 'unit',
        unit,
        unitDisplay: power === 0 ? 'long' : 'short',
        maximumFractionDigits: 1,
      }),
  );
  return format.format(bytes / 1000 ** power);
}

/** An exact size: "1,432,108 bytes". */
export const formatBytes = (locale: string, bytes: number): string =>
  cached(
    `${locale}:bytes`,
    () => new Intl.NumberFormat(locale, { style: 'unit', unit: 'byte', unitDisplay: 'long' }),
  ).format(bytes);

export const formatNumber = (locale: string, value: number): string =>
  cached(`${locale}:number`, () => new Intl.NumberFormat(locale)).format(value);

const QUARTER_HOUR = 15 * 60_000;
const MAX_DATES = 500;

/**
 * The date of an instant, which a list of a hundred rows asks for a hundred times. Since 1972 no time zone changes its
 * date within a quarter of an hour, so that instants in the same one share a text.
 */
function dateOf(id: string, instant: number, make: () => Intl.DateTimeFormat): string {
  const dates = cached(`${id}:dates`, () => new Map<number, string>());
  const quarter = Math.floor(instant / QUARTER_HOUR);
  const known = dates.get(quarter);
  if (known !== undefined) return known;
  const date = cached(id, make).format(instant);
  if (dates.size >= MAX_DATES) dates.clear();
  dates.set(quarter, date);
  return date;
}

/** The date of an instant in a time zone, usually the firm's: "Nov 21, 2026". */
export const formatDate = (locale: string, instant: number | string, timeZone: string): string =>
  dateOf(
    `${locale}:date:${timeZone}`,
    new Date(instant).getTime(),
    () => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone }),
  );

const years = new Map<string, { from: number; until: number }>();

/** The calendar year of an instant in a time zone: its start, and that of the next one (epoch ms). */
function yearAround(instant: number, timeZone: string): { from: number; until: number } {
  const known = years.get(timeZone);
  if (known && instant >= known.from && instant < known.until) return known;
  const day = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone).toPlainDate();
  const first = day.with({ month: 1, day: 1 });
  const startOf = (date: Temporal.PlainDate): number => date.toZonedDateTime(timeZone).epochMilliseconds;
  const year = { from: startOf(first), until: startOf(first.add({ years: 1 })) };
  years.set(timeZone, year);
  return year;
}

/** The same for a list: "Nov 21", with the year unless it is that of `now`. */
export function formatShortDate(
  locale: string,
  instant: number | string,
  timeZone: string,
  now: number,
): string {
  const when = new Date(instant).getTime();
  const { from, until } = yearAround(now, timeZone);
  if (when < from || when >= until) return formatDate(locale, when, timeZone);
  return dateOf(
    `${locale}:short-date:${timeZone}`,
    when,
    () => new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone }),
  );
}

/** A moment of these weeks for a list: "Nov 24, 10:14 AM". */
export const formatShortMoment = (locale: string, instant: number | string, timeZone: string): string =>
  cached(
    `${locale}:short-moment:${timeZone}`,
    () =>
      new Intl.DateTimeFormat(clockLocale(locale), {
        month: 'short',
        day: 'numeric',
        hour: 'numeric',
        minute: '2-digit',
        timeZone,
      }),
  ).format(new Date(instant));

/** A day within the next weeks, without its year: "Sat, Nov 26". */
export const formatDay = (locale: string, instant: number | string, timeZone: string): string =>
  cached(
    `${locale}:day:${timeZone}`,
    () => new Intl.DateTimeFormat(locale, { weekday: 'short', month: 'short', day: 'numeric', timeZone }),
  ).format(new Date(instant));

const DAY_IN_WORDS = { year: 'numeric', month: 'long', day: 'numeric' } as const;
const MOMENT = { ...DAY_IN_WORDS, hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const;

/**
 * Date and time in a time zone, which it names, usually the firm's where the reader's is unknown: "November
 * 24, 2026 at 9:04 AM CST".
 */
export const formatMoment = (locale: string, instant: number | string, timeZone: string): string =>
  cached(
    `${locale}:moment:${timeZone}`,
    () => new Intl.DateTimeFormat(clockLocale(locale), { ...MOMENT, timeZone }),
  ).format(new Date(instant));

/** The same for a cell of a table: "Nov 24, 2026, 9:04 AM CST". */
export const formatCellMoment = (locale: string, instant: number | string, timeZone: string): string =>
  cached(
    `${locale}:cell-moment:${timeZone}`,
    () => new Intl.DateTimeFormat(clockLocale(locale), { ...MOMENT, month: 'short', timeZone }),
  ).format(new Date(instant));

/** A full hour of the day: "9:00 AM". */
export const formatHour = (locale: string, hour: number): string =>
  cached(
    `${locale}:hour`,
    () =>
      new Intl.DateTimeFormat(clockLocale(locale), { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' }),
  ).format(Date.UTC(2026, 0, 1, hour));

/** An amount of money: "R$ 1.110,00". */
export const formatMoney = (locale: string, amount: number, currency: string): string =>
  cached(
    `${locale}:${currency}`,
    () => new Intl.NumberFormat(locale, { style: 'currency', currency }),
  ).format(amount);

/** Formats a unit price, given as a decimal number, with two to ten decimals: all that it has, without trailing zeros. */
export const formatUnitPrice = (locale: string, amount: string, currency: string): string =>
  cached(
    `${locale}:${currency}:unit`,
    () =>
      new Intl.NumberFormat(locale, {
        style: 'currency',
        currency,
        minimumFractionDigits: 2,
        maximumFractionDigits: 10,
      }),
  ).format(amount as `${number}`);
