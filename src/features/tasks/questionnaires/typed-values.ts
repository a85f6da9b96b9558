import { emailAddressOrText } from '#platform/inputs/email-address.ts';
import { withoutMask } from '#platform/inputs/masks.ts';
import {
  decimalOf,
  hasDecimalComma,
  hoursProblem,
  minutesOf,
  withDecimalSeparator,
} from '#platform/inputs/numbers.ts';
import { readLine } from '#platform/inputs/text.ts';
import type { Lang } from '#platform/text/languages.ts';
import { currencyDigits } from './answer-values.ts';
import { normalizedIdentifier, type Scheme } from './identifiers.ts';
import type { PlainValue, Question, QuestionOf } from './questionnaires.ts';

/* Turns what a person typed into the answer that is stored, for the server and the browser. */

export interface Reader {
  lang: Lang;
  /** The country of the template, for telephone numbers without a country code. */
  country: string;
  /** Reads what was typed as a date; without it only numbers are read, so that the editor in the browser stays small. */
  readDate?: (text: string, part: 'day' | 'month') => string;
}

/**
 * The answer of a typed text. What cannot be read stays as it was typed: `readAnswer` reports it, and the person
 * corrects it.
 */
export function typedValue(question: Question, text: string, reader: Reader): PlainValue {
  const { lang, country } = reader;
  switch (question.kind) {
    case 'yesNo':
      return text === 'yes' ? true : text === 'no' ? false : text;
    case 'number':
      return numberOf(text, lang, question.decimals) ?? text.trim();
    case 'money':
      return amountOf(text, lang, question) ?? text.trim();
    case 'date':
      return dateOf(text, question.part, reader);
    case 'clock':
    case 'hours':
      return minutesIn(text);
    case 'identifier':
      return identifierOf(question.scheme, text);
    case 'phone':
      return phoneOf(text, country);
    case 'paragraph':
      return text.replaceAll('\r\n', '\n').trim();
    case 'text':
      return textOf(text, question.format);
    default:
      return text.trim();
  }
}

/** Text in one line; an address and a name without what was pasted around them. */
const textOf = (text: string, format: QuestionOf<'text'>['format']): string =>
  format === 'email' ? emailAddressOrText(text) : format === 'name' ? readLine(text) : text.trim();

/** A number with the separators of the language or of any other, where they cannot be mistaken; undefined if not one. */
function numberOf(text: string, lang: Lang, decimals: number): number | undefined {
  const [, open = '', sign = '', rest = ''] = /^\s*(\(?)\s*([-−–]?)(.*?)\)?\s*$/s.exec(text) ?? [];
  if (open !== '' && sign !== '') return undefined;
  const plain = withoutMask('decimal', withoutThousands(rest.trim(), lang));
  if (!/^\d{1,15}(?:[.,]\d{0,10})?$/.test(plain)) return undefined;
  // another language's thousands: 1.234 for a reader of English
  if (/[.,]\d{3}$/.test(plain) && decimals < 3) return undefined;
  const value = decimalOf(plain);
  return open === '' && sign === '' ? value : -value || 0;
}

/** Removes the separators of thousands of the reader's language: `1,234` for a reader of English. */
function withoutThousands(text: string, lang: Lang): string {
  const pattern = hasDecimalComma(lang)
    ? /^(\D*)(\d{1,3}(?:\.\d{3})+)(,\d*)?$/
    : /^(\D*)(\d{1,3}(?:,\d{3})+)(\.\d*)?$/;
  const [, symbol = '', thousands, decimals = ''] = pattern.exec(text) ?? [];
  return thousands === undefined ? text : symbol + thousands.replaceAll(/\D/g, '') + decimals;
}

function amountOf(text: string, lang: Lang, { currency }: QuestionOf<'money'>): PlainValue | undefined {
  const digits = currencyDigits(currency);
  const amount = numberOf(text, lang, digits);
  if (amount === undefined || decimalsIn(amount) > digits) return undefined;
  const minor = Math.round(amount * 10 ** digits);
  return Number.isSafeInteger(minor) ? { minor, currency } : undefined;
}

const decimalsIn = (value: number): number => (/\.(\d+)$/.exec(String(value))?.[1] ?? '').length;

function dateOf(
  text: string,
  part: QuestionOf<'date'>['part'],
  { readDate = numberedDate }: Pick<Reader, 'readDate'>,
): string {
  const trimmed = text.trim();
  return part === 'year' ? trimmed.normalize('NFKC') : readDate(trimmed.replace(/-$/, ''), part);
}

/** A day or a month of a year in numbers with punctuation, the day first. */
function numberedDate(text: string, part: 'day' | 'month'): string {
  const [, day, month = '', year] = /^(?:(\d{1,2})[\s/.-]+)?(\d{1,2})[\s/.-]+(\d{4})$/.exec(text) ?? [];
  if (year === undefined || (day === undefined) !== (part === 'month')) return text;
  return [year, month, ...(day === undefined ? [] : [day])]
    .map((number) => number.padStart(2, '0'))
    .join('-');
}

/** Hours and minutes: `8:30`, `8h30`, or `44` for whole hours. */
function minutesIn(text: string): PlainValue {
  const plain = withoutMask('hours', text)
    .replace(/H(?=\d|$)/, ':')
    .replace(/:$/, '');
  return hoursProblem(plain) ? text.trim() : { minutes: minutesOf(plain) };
}

/** The longest text that is stored of an identifier. */
const MAX_TYPED = 200;

const identifierOf = (scheme: Scheme, text: string): string =>
  normalizedIdentifier(scheme, text.slice(0, MAX_TYPED)).trim();

/** Country codes, and the prefix that is dialed within the country and not from abroad. */
const DIALING: Readonly<Record<string, { code: string; prefix: RegExp; lengths: RegExp }>> = {
  US: { code: '1', prefix: /^1(?=\d{10}$)/, lengths: /^\d{10}$/ },
  CA: { code: '1', prefix: /^1(?=\d{10}$)/, lengths: /^\d{10}$/ },
  BR: { code: '55', prefix: /^0/, lengths: /^\d{10,11}$/ },
  GB: { code: '44', prefix: /^0/, lengths: /^\d{9,10}$/ },
  AU: { code: '61', prefix: /^0/, lengths: /^\d{9}$/ },
  AR: { code: '54', prefix: /^0/, lengths: /^\d{10,11}$/ },
};

/** A telephone number as it was typed, and in E.164; a number without a country code belongs to the country. */
export function phoneOf(text: string, country: string): PlainValue {
  const typed = text.trim().slice(0, MAX_TYPED);
  const plain = withoutMask('internationalPhone', typed.replace(/\(0\)/, ''));
  const international = /^00(?=[1-9])/.test(plain) ? plain.replace(/^00/, '+') : plain;
  if (/^\+[1-9]\d{6,14}$/.test(international) && typed.length <= 60) return { typed, e164: international };
  const dialing = Object.hasOwn(DIALING, country) ? DIALING[country] : undefined;
  const national = dialing && plain.replace(dialing.prefix, '');
  return dialing && national !== undefined && dialing.lengths.test(national) && typed.length <= 60
    ? { typed, e164: `+${dialing.code}${national}` }
    : typed;
}

/** A number as its field shows it in a language. */
export const typedNumber = (value: number, lang: Lang, decimals?: number): string =>
  withDecimalSeparator(decimals === undefined ? String(value) : value.toFixed(decimals), lang);
