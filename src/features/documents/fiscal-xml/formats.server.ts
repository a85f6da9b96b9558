import { clockLocale } from '#platform/text/clock-locale.ts';
import { formatMoney, formatUnitPrice } from '#platform/text/formats.ts';
import { withMask } from '#platform/inputs/masks.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { FISCAL_TEXTS, type FiscalText, type Value } from './fiscal-xml.ts';
import { spacedKey } from './keys.ts';

/** How the values of fiscal documents are written in a language. What is not of its type is shown as in the file. */
interface FiscalFormats {
  /** A value of any type. */
  value: (value: Value) => string;
  money: (amount: string) => string;
  /** A unit price, with up to ten decimals as in the file. */
  price: (amount: string) => string;
  number: (amount: string) => string;
  percent: (rate: string) => string;
  /** The day and the minute as the issuer's own clock showed them. */
  moment: (iso: string) => string;
  taxId: (id: string) => string;
}

const formats = new Map<Lang, FiscalFormats>();

export function fiscalFormats(lang: Lang): FiscalFormats {
  const known = formats.get(lang) ?? formatsIn(lang);
  formats.set(lang, known);
  return known;
}

function formatsIn(lang: Lang): FiscalFormats {
  const locale = LANGUAGES[lang];
  const t = translationsFor(lang, FISCAL_TEXTS);
  const decimals = new Intl.NumberFormat(locale, { maximumFractionDigits: 4 });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const minute = new Intl.DateTimeFormat(clockLocale(locale), {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  const numeric =
    (format: (amount: string) => string) =>
    (amount: string): string =>
      /^-?\d{1,15}(?:\.\d{1,12})?$/.test(amount) ? format(amount) : amount;
  const money = numeric((amount) => formatMoney(locale, Number(amount), 'BRL'));
  const price = numeric((amount) => formatUnitPrice(locale, amount, 'BRL'));
  const number = numeric((amount) => decimals.format(Number(amount)));
  const percent = numeric((rate) => `${decimals.format(Number(rate))}%`);
  const date = (iso: string): string => instantOf(iso.slice(0, 10), 'T00:00Z', (at) => day.format(at)) ?? iso;
  const moment = (iso: string): string =>
    iso.length < 16 ? date(iso) : (instantOf(iso.slice(0, 16), 'Z', (at) => minute.format(at)) ?? iso);
  const plain = (value: string): string => value;
  const byType: Record<Value['type'], (value: string) => string> = {
    text: plain,
    money,
    price,
    number,
    percent,
    date,
    moment,
    taxId,
    key: (keys) => keys.split(', ').map(spacedKey).join(', '),
    choice: (key) => t(key as FiscalText), // readers make choices of keys only
  };
  return { value: ({ type, value }) => byType[type](value), money, price, number, percent, moment, taxId };
}

/** A date of the calendar, formatted; undefined for what is none. */
function instantOf(local: string, rest: string, format: (at: Date) => string): string | undefined {
  const at = new Date(local + rest);
  return /^\d{4}-\d\d-\d\d/.test(local) && !Number.isNaN(at.getTime()) ? format(at) : undefined;
}

const taxId = (id: string): string =>
  id.length === 14 ? withMask('cnpj', id) : /^\d{11}$/.test(id) ? withMask('cpf', id) : id;
