import { CsvError, parse } from 'csv-parse/sync';
import { decodeText } from './decode-text.server.ts';
import { delimiterOf, type Delimiter } from './delimiter.ts';
import { withoutFormulaQuote } from './formula-quotes.ts';
import { MAX_FILE_BYTES, MAX_ROWS, tableOf, type RawRow, type Tabular } from './tabular.ts';

/**
 * Reads delimited text in any encoding that {@link decodeText} detects. A row with a broken quote, or one
 * that is never closed, is reported, and reading goes on with the next line.
 */
export function readCsv(bytes: Uint8Array): Tabular {
  const { text, delimiter, line: first } = prepare(decodeText(bytes));
  if (text.includes('\0')) return { refused: 'NOT_A_TABLE' };
  const rows: RawRow[] = [];
  let rest: Rest | undefined = { text, line: first };
  for (let broken = 0; rest; broken += 1) {
    const stoppedAt = readRows(rest, delimiter, rows);
    if (rows.length > MAX_ROWS + MAX_EMPTY) return { refused: 'TOO_MANY_ROWS', line: rows.at(-1)?.line ?? 0 };
    if (stoppedAt === undefined) break;
    if (broken === MAX_BROKEN) return { refused: 'QUOTES', line: stoppedAt };
    rest = afterBrokenLine(rest, stoppedAt, rows);
  }
  return tableOf(rows);
}

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

/** Adds the rows up to the first broken one, and returns the line in which that begins. */
function readRows({ text, line: first }: Rest, delimiter: Delimiter, rows: RawRow[]): number | undefined {
  let line = first;
  try {
    parse(text, {
      delimiter,
      relax_column_count: true,
      max_record_size: MAX_FILE_BYTES,
      record_delimiter: ['\r\n', '\n', '\r'],
      on_record: (cells: string[]) => {
        rows.push({ line, cells: cells.map(withoutFormulaQuote) });
        line += 1 + lineBreaksIn(cells);
        if (rows.length > MAX_ROWS + MAX_EMPTY) throw new TooManyRows();
        return null;
      },
    });
    return undefined;
  } catch (error) {
    if (error instanceof TooManyRows) return undefined;
    if (error instanceof CsvError) return line;
    throw error;
  }
}

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

/** Leaves out the line `sep=;` with which spreadsheets name their delimiter. */
function prepare(text: string): Rest & { delimiter: Delimiter } {
  const named = /^\uFEFF?sep=([;,\t])\r?\n/i.exec(text);
  if (named) return { text: text.slice(named[0].length), delimiter: asDelimiter(named[1]), line: 2 };
  return { text: text.replace(/^\uFEFF/, ''), delimiter: delimiterOf(text), line: 1 };
}

const asDelimiter = (text: string | undefined): Delimiter => (text === ';' || text === '\t' ? text : ',');
