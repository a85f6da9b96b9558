/** Numbers, sizes and dates as a language writes them. Formatters are made once per language. */
const made = new Map<string, unknown>();

function once<F>(id: string, make: () => F): F {
  const known = made.get(id) as F | undefined;
  if (known) return known;
  const fresh = make();
  made.set(id, fresh);
  return fresh;
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** A size of `bytes` with at most one decimal: "1.4 MB". A kilobyte is 1,000 bytes. */
export function formatSize(locale: string, bytes: number): string {
  const power = UNITS.findIndex((_, i) => i === UNITS.length - 1 || Math.round(bytes / 1000 ** i * 10) < 10_000);
  const unit = UNITS[power] ?? 'byte';
  const format = once(`${locale}:${unit}`, () => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: power === 0 ? 'long' : 'short', maximumFractionDigits: 1 }));
  return format.format(bytes / 1000 ** power);
}

export const formatNumber = (locale: string, value: number): string => once(`${locale}:number`, () => new Intl.NumberFormat(locale)).format(value);

/** A day as people write it: "Nov 21, 2026". */
export const formatDate = (locale: string, instant: number | string): string => once(`${locale}:date`, () => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })).format(new Date(instant));

/** A moment with its zone, for where the reader's zone is not known: "November 24, 2026 at 3:04 PM UTC". */
export const formatMoment = (locale: string, instant: number | string): string =>
  once(`${locale}:moment`, () => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })).format(new Date(instant)) + ' UTC';

/** An amount of money as a language writes it: "R$ 1.110,00". */
export const formatMoney = (locale: string, amount: number, currency: string): string => once(`${locale}:${currency}`, () => new Intl.NumberFormat(locale, { style: 'currency', currency })).format(amount);
