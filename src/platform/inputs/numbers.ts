import type { Lang } from '../text/languages.ts';

/* Numbers as people type them (spec 2, section 5), for the server and the browser. */

export const MAX_DECIMAL = 9_999_999.99;
const MAX_DECIMAL_LENGTH = 14;

type NumberProblem =
  | 'invalidSeparator'
  | 'invalidHourPlaces'
  | 'invalidMinutePlaces'
  | 'invalidMinute'
  | 'negativeValue'
  | 'decimalPlaces'
  | 'maxValue';

/** What is wrong with hours and minutes, such as `160:30`; the minutes may be left out. */
export function hoursProblem(text: string): NumberProblem | undefined {
  const [hours = '', minutes = '00', ...rest] = text.split(':');
  if (rest.length > 0 || !/^[\d:]*$/.test(text)) return 'invalidSeparator';
  if (hours.length < 1 || hours.length > 3) return 'invalidHourPlaces';
  if (minutes.length < 1 || minutes.length > 2) return 'invalidMinutePlaces';
  return Number(minutes) > 59 ? 'invalidMinute' : undefined;
}

/** The minutes of a valid `hours:minutes`. */
export function minutesOf(text: string): number {
  const [hours = '', minutes = '0'] = text.split(':');
  return Number(hours) * 60 + Number(minutes);
}

/** Hours and minutes, with at least three digits of hours (spec 2, section 9). */
export const hoursText = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(3, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** What is wrong with a decimal number, whose separator may be a point or a comma. */
export function decimalProblem(text: string): NumberProblem | undefined {
  if (/^[-−]/.test(text)) return 'negativeValue';
  if (!/^\d+(?:[.,]\d*)?$/.test(text)) return 'invalidSeparator';
  if (/[.,]\d{3,}$/.test(text)) return 'decimalPlaces';
  return text.length > MAX_DECIMAL_LENGTH || decimalOf(text) > MAX_DECIMAL ? 'maxValue' : undefined;
}

/** The value of a valid decimal number. */
export const decimalOf = (text: string): number => Number(text.replace(',', '.'));

/** Tells whether the decimal separator of a language is a comma. */
export const hasDecimalComma = (lang: Lang): boolean => lang === 'es' || lang === 'pt' || lang === 'fr';

/** Writes a number such as `2400.5` with the decimal separator of a language. */
export const withDecimalSeparator = (text: string, lang: Lang): string =>
  hasDecimalComma(lang) ? text.replace('.', ',') : text;
