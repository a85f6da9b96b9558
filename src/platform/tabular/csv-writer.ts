import { withFormulaQuote } from './formula-quotes.ts';

/**
 * Formats rows as comma-separated values (RFC 4180), with a byte order mark for spreadsheets. A text that a
 * spreadsheet would execute as a formula gets a leading apostrophe.
 */
export const csvOf = (header: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  `\uFEFF${[header, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;

function cell(value: string | number): string {
  const text = typeof value === 'string' ? withFormulaQuote(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
