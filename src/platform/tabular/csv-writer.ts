import { withFormulaQuote } from './formula-quotes.ts';

/**
 * Formats rows as comma-separated values (RFC 4180), with a byte order mark for spreadsheets. A text that a
 * spreadsheet would execute as a formula gets a leading apostrophe.
 */
export const csvOf = (header: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  CSV_START + [header, ...rows].map(csvRow).join('');

/** What a file begins with, and one line of it. */
export const CSV_START = '\uFEFF';
export const csvRow = (row: readonly (string | number)[]): string => `${row.map(cell).join(',')}\r\n`;

function cell(value: string | number): string {
  const text = typeof value === 'string' ? withFormulaQuote(value) : String(value);
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
