import type { DateField } from '../forms/forms.server.ts';
import type { Choice, DateSelect, FieldView } from '../forms/forms.ts';
import { LANGUAGES, type Lang } from '../text/languages.ts';
import { translationsFor } from '../text/translations.server.ts';
import { now } from '../runtime/clock.server.ts';
import { choosableParts, datePartsOf, yearLimits, type DateLimits } from './dates.ts';
import { withMask } from './masks.ts';

/* Date fields and units as data for rendering, in the language of the page. */

type Base = Pick<FieldView, 'name' | 'label' | 'hint' | 'optional' | 'problem'>;

/** The view of a date field with the value `2026-02-28`, or with what was typed. */
export function dateFieldView(
  base: Base,
  { input = 'picker', earliest: min, latest: max, years }: DateField,
  value: string,
  lang: Lang,
): FieldView {
  const limits = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  if (input === 'picker') return { ...base, kind: 'date', value, ...limits };
  if (input === 'text' || (input === 'local' && lang !== 'en-us'))
    return {
      ...base,
      hint: [base.hint, translationsFor(lang, 'inputs')('dateHint')].filter(Boolean).join(' '),
      kind: 'text',
      mask: 'date',
      inputmode: 'numeric',
      value: withMask('date', value),
    };
  const full = { ...yearLimits(new Date(now()).getUTCFullYear(), years), ...limits };
  return { ...base, kind: 'date-selects', value, ...full, selects: selectsOf(value, full, lang) };
}

/** The selects of a date, in the order of the language. They offer every day, for browsers without scripts. */
function selectsOf(value: string, limits: DateLimits, lang: Lang): DateSelect[] {
  const t = translationsFor(lang, 'inputs');
  const parts = datePartsOf(value);
  const { years } = choosableParts({ year: '', month: '' }, limits);
  const numbers = (last: number): Choice[] =>
    Array.from({ length: last }, (_, index) => ({
      value: String(index + 1).padStart(2, '0'),
      text: String(index + 1),
    }));
  const choices = {
    day: numbers(31),
    month: numbers(12).map((month) => ({ ...month, text: monthName(Number(month.value), lang) })),
    year: years.map((year) => ({ value: year, text: year })),
  };
  const order = lang === 'en-us' ? (['month', 'day', 'year'] as const) : (['day', 'month', 'year'] as const);
  return order.map((part) => ({ part, label: t(part), value: parts[part], choices: choices[part] }));
}

const monthName = (month: number, lang: Lang): string =>
  new Intl.DateTimeFormat(LANGUAGES[lang], { month: 'long', timeZone: 'UTC' }).format(
    Date.UTC(2000, month - 1, 1),
  );

/** The symbol of a currency, such as `R$`. */
export const currencySymbol = (currency: string, lang: Lang): string =>
  new Intl.NumberFormat(LANGUAGES[lang], { style: 'currency', currency })
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value ?? currency;
