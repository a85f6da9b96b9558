import { clockLocale } from '#platform/text/clock-locale.ts';
import { formatMoney } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { currencyDigits } from './answer-values.ts';
import type { Money } from './questionnaires.ts';

/* Amounts and dates as a language writes them, for the server and the browser. */

export const moneyText = ({ minor, currency }: Money, lang: Lang): string =>
  formatMoney(LANGUAGES[lang], minor / 10 ** currencyDigits(currency), currency);

/** A time of day as the language writes it. */
export const clockText = (minutes: number, lang: Lang): string =>
  new Intl.DateTimeFormat(clockLocale(LANGUAGES[lang]), { timeStyle: 'short', timeZone: 'UTC' }).format(
    minutes * 60_000,
  );

/** A date, a month or a year as the language writes it. */
export function dateText(value: string, lang: Lang): string {
  const [, month, day] = value.split('-');
  if (month === undefined) return value;
  const instant = new Date(`${value}${day === undefined ? '-01' : ''}T00:00:00Z`);
  const format =
    day === undefined ? ({ year: 'numeric', month: 'long' } as const) : ({ dateStyle: 'medium' } as const);
  return new Intl.DateTimeFormat(LANGUAGES[lang], { ...format, timeZone: 'UTC' }).format(instant);
}
