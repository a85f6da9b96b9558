import type { Lang } from '#platform/text/languages.ts';
import { withFormulaQuote } from './formula-quotes.ts';

type CsvRow = readonly (string | number)[];
type Separator = ',' | ';';

/**
 * Formats rows as comma-separated values (RFC 4180), with a byte order mark for spreadsheets. A text that a
 * spreadsheet would execute as a formula gets a leading apostrophe.
 */
export const csvOf = (header: readonly string[], rows: readonly CsvRow[], separator?: Separator): string =>
  CSV_START + [header, ...rows].map((row) => csvRow(row, separator)).join('');

/** What a file begins with, and one line of it. */
export const CSV_START = '\uFEFF';
export const csvRow = (row: CsvRow, separator: Separator = ','): string =>
  `${row.map(cell).join(separator)}\r\n`;

/**
 * The separator at which spreadsheets split a file in a language, for files that people open: a semicolon where the comma
 * is in numbers. Files for programs have commas in every language.
 */
export const csvSeparator = (lang: Lang): Separator => (lang.startsWith('en') ? ',' : ';');

function cell(value: string | number): string {
  const text = typeof value === 'string' ? withFormulaQuote(value) : String(value);
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
