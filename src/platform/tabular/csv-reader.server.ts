import { CsvError, parse } from 'csv-parse/sync';
import { decodeText } from './decode-text.server.ts';
import { delimiterOf, DELIMITERS, type Delimiter } from './delimiter.ts';
import { withoutFormulaQuote } from './formula-quotes.ts';
import { MAX_FILE_BYTES, MAX_ROWS, tableOf, type RawRow, type TablePlace, type Tabular } from './tabular.ts';

/**
 * Reads delimited text in any encoding that {@link decodeText} detects. A quote within a value that does not begin with
 * one is part of it (24" Monitors). A row with a broken quote, or one that is never closed, is reported, and reading
 * goes on with the next line.
 */
export function readCsv(bytes: Uint8Array, { headingLine }: TablePlace = {}): Tabular {
  const { text, delimiter, line: first } = prepare(decodeText(bytes));
  if (text.includes('\0') || MARKUP.test(text)) return { refused: 'NOT_A_TABLE' };
  const rows: RawRow[] = [];
  let rest: Rest | undefined = { text, line: first };
  let stoppedAt = readRows(rest, delimiter, rows);
  if (stoppedAt !== undefined) {
    rows.length = 0;
    stoppedAt = readRows(rest, delimiter, rows, { areQuotesChecked: true });
  }
  for (let broken = 0; rest; broken += 1) {
    if (rows.length > MAX_ROWS + MAX_EMPTY) return { refused: 'TOO_MANY_ROWS', line: rows.at(-1)?.line ?? 0 };
    if (stoppedAt === undefined) break;
    if (broken === MAX_BROKEN) return { refused: 'QUOTES', line: stoppedAt };
    rest = afterBrokenLine(rest, stoppedAt, rows);
    stoppedAt = rest && readRows(rest, delimiter, rows, { areQuotesChecked: true });
  }
  return tableOf(rows, { headingLine });
}

/** A page or XML, which banks name .xls. */
const MARKUP = /^\s*<[!?a-z]/i;

/** The text from a line on. */
interface Rest {
  text: string;
  line: number;
}

/** Empty lines are not counted as rows, but they end somewhere, too. */
const MAX_EMPTY = 10_000;
/** After each broken row the rest is read anew. */
const MAX_BROKEN = 50;

class TooManyRows extends Error {}
class BrokenQuote extends Error {}

/**
 * Adds the rows up to the first broken one, and returns the line in which that begins. The parser stops at any quote that
 * is out of place; with `areQuotesChecked` it stops at none, which takes longer, and the rows are checked here.
 */
function readRows(
  { text, line: first }: Rest,
  delimiter: Delimiter,
  rows: RawRow[],
  { areQuotesChecked = false } = {},
): number | undefined {
  let line = first;
  const isReadable = areQuotesChecked ? quoteCheck(delimiter) : () => true;
  try {
    parse(text, {
      delimiter,
      relax_column_count: true,
      relax_quotes: areQuotesChecked,
      raw: areQuotesChecked,
      max_record_size: MAX_FILE_BYTES,
      record_delimiter: ['\r\n', '\n', '\r'],
      on_record: (read: string[] | { raw: string; record: string[] }) => {
        const cells = 'record' in read ? read.record : read;
        if ('raw' in read && !isReadable(read.raw)) throw new BrokenQuote();
        rows.push({ line, cells: cells.map(plainCell) });
        line += 1 + lineBreaksIn(cells);
        if (rows.length > MAX_ROWS + MAX_EMPTY) throw new TooManyRows();
        return null;
      },
    });
    return undefined;
  } catch (error) {
    if (error instanceof TooManyRows) return undefined;
    if (error instanceof CsvError || error instanceof BrokenQuote) return line;
    throw error;
  }
}

/** Tells whether every value of a row is in quotes as a whole, or does not begin with one. */
function quoteCheck(delimiter: Delimiter): (row: string) => boolean {
  const value = new RegExp(`(?:"(?:[^"]|"")*"|(?!\\s*")[^${delimiter}]*)(?:[${delimiter}]|$)`, 'y');
  return (row) => {
    const text = row.replace(/[\r\n]+$/, '');
    if (!text.includes('"')) return true;
    value.lastIndex = 0;
    while (value.lastIndex < text.length) if (!value.test(text)) return false;
    return true;
  };
}

/** A value without what kept spreadsheets from reading it as a number, or as a formula: `="00123"`. */
const plainCell = (cell: string): string => /^="([^"]*)"$/.exec(cell)?.[1] ?? withoutFormulaQuote(cell);

/** Line breaks inside quotes; the parser counts two of them where there are two characters. */
const lineBreaksIn = (cells: readonly string[]): number =>
  cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);

const LINE = /[^\r\n]*(?:\r\n|\n|\r|$)/y;

/** Adds the broken line as a row of its own, and returns what follows it. */
function afterBrokenLine({ text, line: first }: Rest, line: number, rows: RawRow[]): Rest | undefined {
  LINE.lastIndex = 0;
  let start = 0;
  for (let at = first; at <= line; at += 1) {
    start = LINE.lastIndex;
    LINE.exec(text);
  }
  const end = LINE.lastIndex;
  rows.push({ line, cells: [text.slice(start, end).trim()], problem: 'QUOTES' });
  return end >= text.length ? undefined : { text: text.slice(end), line: line + 1 };
}

/** The quotes of `="00123"` as those of a cell, which a parser of CSV understands. */
const withoutFormulaTexts = (text: string): string => text.replaceAll(/(?<=^|[;,\t|\r\n])="(?!")/g, '"');

/** Leaves out the line `sep=;` with which spreadsheets name their delimiter. */
function prepare(typed: string): Rest & { delimiter: Delimiter } {
  const text = withoutFormulaTexts(typed);
  const named = /^\uFEFF?sep=([;,\t|])\r?\n/i.exec(text);
  if (named) return { text: text.slice(named[0].length), delimiter: asDelimiter(named[1]), line: 2 };
  return { text: text.replace(/^\uFEFF/, ''), delimiter: delimiterOf(text), line: 1 };
}

const asDelimiter = (text: string | undefined): Delimiter =>
  DELIMITERS.find((known) => known === text) ?? ',';
