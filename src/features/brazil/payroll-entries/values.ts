import { decimalOf, decimalProblem, hoursProblem, hoursText, minutesOf } from '#platform/inputs/numbers.ts';

/* The values of payroll entries (spec 2, sections 5 and 9): how they are typed, stored and shown. For server and browser. */

/** Hours are stored as minutes, amounts as cents, quantities as hundredths. */
export const VALUE_TYPES = ['hours', 'decimal', 'quantity'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

/** A column of a list: something of which each employee has a value in a month. */
export interface EntryColumn {
  /** Stays the same from version to version of its list. */
  key: string;
  label: string;
  /** The code of the payroll program (rubrica). */
  code: string;
  type: ValueType;
  /** Quantities of days are checked against the days of the month. */
  unit: '' | 'days';
  /** Of a quantity: the decimal places, at most 2. */
  decimals: number;
  /** As stored; null for no limit. */
  min: number | null;
  max: number | null;
  isDeduction: boolean;
  hint: string;
}

type ValueProblem = NonNullable<ReturnType<typeof hoursProblem>>;

type Typed = { value: number | null } | { problem: ValueProblem };

/** What a text means in a column: null for an empty one, which is not 0. */
export function readValue({ type, decimals }: Pick<EntryColumn, 'type' | 'decimals'>, text: string): Typed {
  const plain = text.trim();
  if (plain === '') return { value: null };
  if (type === 'hours') {
    const problem = hoursProblem(plain);
    return problem ? { problem } : { value: minutesOf(plain) };
  }
  const problem = decimalProblem(plain);
  if (problem) return { problem };
  const value = Math.round(decimalOf(plain) * 100);
  if (type === 'quantity' && value % 10 ** (2 - decimals) !== 0) return { problem: 'decimalPlaces' };
  return { value };
}

/** The highest stored value: 999:59, or 9,999,999.99. */
export const maxStored = (type: ValueType): number => (type === 'hours' ? 59_999 : 999_999_999);

const placesOf = ({ type, decimals }: Pick<EntryColumn, 'type' | 'decimals'>): number =>
  type === 'quantity' ? decimals : 2;

/** A value as it is typed, without separators of thousands; `locale` is a BCP 47 tag. Empty for none. */
export function typedText(
  column: Pick<EntryColumn, 'type' | 'decimals'>,
  value: number | null,
  locale: string,
): string {
  if (value === null) return '';
  if (column.type === 'hours') return hoursText(value);
  return numberText(value / 100, { locale, places: placesOf(column), useGrouping: false });
}

/** A value or a total as it is read, with separators of thousands. A total may be larger than a value. */
export function shownText(
  column: Pick<EntryColumn, 'type' | 'decimals'>,
  value: number | null,
  locale: string,
): string {
  if (value === null) return '';
  if (column.type === 'hours') return hoursText(value);
  return numberText(value / 100, { locale, places: placesOf(column), useGrouping: true });
}

const numberText = (
  value: number,
  { locale, places, useGrouping }: { locale: string; places: number; useGrouping: boolean },
): string =>
  new Intl.NumberFormat(locale, {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
    useGrouping,
  }).format(value);

/** A value for programs: `7:05` as 007:05, and amounts with a point. */
export const plainText = (column: Pick<EntryColumn, 'type' | 'decimals'>, value: number): string =>
  column.type === 'hours' ? hoursText(value) : (value / 100).toFixed(placesOf(column));
