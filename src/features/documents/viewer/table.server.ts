import type { Delimiter } from '#platform/tabular/delimiter.ts';
import type { Table } from './viewer.ts';

export interface TableLimits {
  rows: number;
  columns: number;
  cells: number;
  /** Characters of one cell. */
  characters: number;
}

/**
 * Parses the beginning of delimited text as of RFC 4180: a quoted field may contain the delimiter, line ends
 * and doubled quotes. A quote in the middle of a field is literal, and an unclosed one ends with the text.
 * Anything beyond `max` is omitted and reported.
 */
export function readTable(
  text: string,
  { delimiter, max }: { delimiter: Delimiter; max: TableLimits },
): Table {
  const table: Table = { rows: [], leftOut: { rows: false, columns: false, text: false } };
  let cells = 0;
  for (const row of rowsOf(text, delimiter, max, table.leftOut)) {
    cells += row.length;
    table.leftOut.rows = table.rows.length === max.rows || cells > max.cells;
    if (table.leftOut.rows) break;
    table.rows.push(row);
  }
  return table;
}

/** The non-empty rows, each read to its end and truncated. */
function* rowsOf(
  text: string,
  delimiter: Delimiter,
  max: TableLimits,
  leftOut: Table['leftOut'],
): Generator<string[], void> {
  const field = new RegExp(
    `"([^"]*(?:""[^"]*)*)(?:"|$)([^${delimiter}\\r\\n]*)|([^${delimiter}\\r\\n]*)`,
    'y',
  );
  let row: string[] = [];
  let at = 0;
  while (at < text.length || row.length > 0) {
    field.lastIndex = at;
    const [all = '', quoted, tail = '', bare = ''] = field.exec(text) ?? [];
    at += all.length;
    if (row.length === max.columns) leftOut.columns = true;
    else {
      const cell = quoted === undefined ? bare : quoted.replaceAll('""', '"') + tail;
      if (cell.length > max.characters) leftOut.text = true;
      row.push(cell.length > max.characters ? `${cell.slice(0, max.characters).toWellFormed()}…` : cell);
    }
    if (text[at] === delimiter) {
      at += 1;
      continue;
    }
    at += text.startsWith('\r\n', at) ? 2 : 1;
    if (row.length > 1 || row[0] !== '') yield row;
    row = [];
  }
}

/** No number is longer in practice; longer cells are not examined. */
const MAX_NUMBER = 40;

/** Tells whether a cell is a number or an amount, which is right-aligned. */
export const isNumber = (cell: string): boolean =>
  cell.length <= MAX_NUMBER && /^[-+(]?\s*(?:R?\$|€|£)?\s*\d[\d.,\s]*[%)]?$/.test(cell.trim());
