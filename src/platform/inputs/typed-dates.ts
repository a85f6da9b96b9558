import { isDate, type DateParts } from './dates.ts';
import { withoutInvisible } from './text.ts';

/* Dates as people type and paste them, for the server and the fields that read them in the browser. */

/**
 * Reads a date as people write it, the day before the month: in numbers with any punctuation or none, with the name of a
 * month in any language of the portal, with two digits of the year, or as ISO 8601. What is no date stays as it is, and
 * so does a day that its month does not have, as ISO 8601. `thisYear` decides about two digits.
 */
export function dateFromText(text: string, thisYear = new Date().getUTCFullYear()): string {
  const plain = plainDate(text);
  const { day, month, year } = numberedDate(plain) ?? namedDate(plain) ?? {};
  if (day === undefined || month === undefined || year === undefined) return text.trim();
  return `${fullYear(year, thisYear)}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** Reads a month of a year, `2027-02`, in the same ways; other text stays as it is. */
export function monthFromText(text: string, thisYear = new Date().getUTCFullYear()): string {
  const plain = plainDate(text);
  const [, isoYear, isoMonth] = /^(\d{4}) (\d{1,2})$/.exec(plain) ?? [];
  const [, month = isoMonth, year = isoYear] = /^(\d{1,2}) (\d{4}|\d\d)$/.exec(plain) ?? [];
  const [, name = '', named] = /^(\p{L}+) (\d{4}|\d\d)$/u.exec(plain) ?? [];
  const number = month ?? monthOf(name);
  const ofYear = year ?? named;
  if (number === undefined || ofYear === undefined) return text.trim();
  return `${fullYear(ofYear, thisYear)}-${number.padStart(2, '0')}`;
}

/** Reads a day of any year with the name of its month, as `MM-DD`; undefined for other text. */
export function namedDay(text: string): string | undefined {
  const { day, month } = namedDate(`${plainDate(text)} 2000`) ?? namedDate(plainDate(text)) ?? {};
  return day === undefined || month === undefined
    ? undefined
    : `${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** Small letters without accents, punctuation as one space, and no words such as `de`, `of` and the endings of `1º`, `1st`. */
const plainDate = (text: string): string =>
  withoutInvisible(text)
    .slice(0, MAX_DATE)
    .replaceAll(/[º°ª]/g, ' ')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[\s.,/()'’\p{Pd}]+/gu, ' ')
    .replaceAll(/(?<=\d) ?(?:st|nd|rd|th|er|o|a)(?= |$)/g, '')
    .replaceAll(/(?<= )(?:de|del|do|of|the) /g, '')
    .trim();

const MAX_DATE = 60;

/** 28 2 2027, 2027 2 28, 28022027, 20270228; two digits of a year only at the end. */
function numberedDate(plain: string): DateParts | undefined {
  const [, isoYear, isoMonth, isoDay] = /^(\d{4}) (\d{1,2}) (\d{1,2})$/.exec(plain) ?? [];
  if (isoYear !== undefined) return { year: isoYear, month: isoMonth ?? '', day: isoDay ?? '' };
  const [, day, month, year] = /^(\d{1,2}) (\d{1,2}) (\d{4}|\d\d)$/.exec(plain) ?? [];
  if (year !== undefined) return { year, month: month ?? '', day: day ?? '' };
  if (!/^\d{8}$/.test(plain)) return undefined;
  const dayFirst = { day: plain.slice(0, 2), month: plain.slice(2, 4), year: plain.slice(4) };
  const yearFirst = { year: plain.slice(0, 4), month: plain.slice(4, 6), day: plain.slice(6) };
  // 20121012 is not of the year 1012
  const isYearFirst = /^(?:19|20)/.test(plain) && exists(yearFirst);
  return isYearFirst && !(exists(dayFirst) && dayFirst.year > '1800') ? yearFirst : dayFirst;
}

const exists = ({ year, month, day }: DateParts): boolean => isDate(`${year}-${month}-${day}`);

/** 28 february 2027, february 28 2027, monday 1 march 2027. */
function namedDate(plain: string): DateParts | undefined {
  const {
    day,
    name = '',
    year,
  } = (
    /^(?:\p{L}+ ){0,2}(?<day>\d{1,2}) (?<name>\p{L}{3,}) (?<year>\d{4}|\d\d)$/u.exec(plain) ??
    /^(?:\p{L}+ ){0,2}(?<name>\p{L}{3,}) (?<day>\d{1,2}) (?<year>\d{4}|\d\d)$/u.exec(plain)
  )?.groups ?? {};
  const month = monthOf(name);
  return day === undefined || year === undefined || month === undefined ? undefined : { day, month, year };
}

/** The months in English, Portuguese, Spanish and French, without accents. */
const MONTHS = [
  'january janeiro enero janvier',
  'february fevereiro febrero fevrier',
  'march marco marzo mars',
  'april abril avril',
  'may maio mayo mai',
  'june junho junio juin',
  'july julho julio juillet',
  'august agosto aout',
  'september setembro septiembre setiembre septembre',
  'october outubro octubre octobre',
  'november novembro noviembre novembre',
  'december dezembro diciembre decembre',
].map((names) => names.split(' '));

/** The number of the month whose name begins so; undefined if there is none, or several, such as `jui`. */
function monthOf(text: string): string | undefined {
  if (text.length < 3) return undefined;
  const found = MONTHS.flatMap((names, index) =>
    names.some((name) => name.startsWith(text)) ? [String(index + 1)] : [],
  );
  return found.length === 1 ? found[0] : undefined;
}

/** Two digits are a year of the last 79 years, or of the next 20: people are born in it, or have something due. */
function fullYear(year: string, thisYear: number): string {
  if (year.length !== 2) return year;
  const latest = thisYear + 20;
  const ofCentury = latest - (latest % 100) + Number(year);
  return String(ofCentury > latest ? ofCentury - 100 : ofCentury);
}

/** Reads what was typed as a day or as a month of a year. */
export const readTypedDate = (text: string, part: 'day' | 'month'): string =>
  part === 'day' ? dateFromText(text) : monthFromText(text);
