import { CsvError, parse } from 'csv-parse/sync';
import { decodeText } from './decode-text.server.ts';
import { delimiterOf, type Delimiter } from './delimiter.ts';
import { withoutFormulaQuote } from './formula-quotes.ts';
import { MAX_FILE_BYTES, MAX_ROWS, tableOf, type RawRow, type Tabular } from './tabular.ts';

/**
 * Reads delimited text in any encoding that {@link decodeText} detects. A row with a broken quote is reported
 * and the next line goes on; a quote that is never closed refuses the file, since the rows behind it are
 * inside the quotes.
 */
export function readCsv(bytes: Uint8Array): Tabular {
  const { text, delimiter, start } = prepare(decodeText(bytes));
  if (text.includes('\0')) return { refused: 'NOT_A_TABLE' };
  const rows: RawRow[] = [];
  let before = start;
  try {
    parse(text, {
      delimiter,
      relax_column_count: true,
      skip_records_with_error: true,
      max_record_size: MAX_FILE_BYTES,
      record_delimiter: ['\r\n', '\n', '\r'],
      on_record: (cells: string[], { lines }) => {
        rows.push({ line: before + 1, cells: cells.map(withoutFormulaQuote) });
        before = start + lines;
        if (rows.length > MAX_ROWS + MAX_EMPTY) throw new TooManyRows();
        return null;
      },
      on_skip: (error) => {
        if (error?.code === 'CSV_QUOTE_NOT_CLOSED') throw new QuoteNotClosed();
        rows.push({ line: before + 1, cells: [], problem: 'QUOTES' });
        before = start + Number(error?.['lines'] ?? before + 1 - start);
        return undefined;
      },
    });
  } catch (error) {
    if (error instanceof TooManyRows) return { refused: 'TOO_MANY_ROWS', line: before };
    if (error instanceof QuoteNotClosed || isNotClosed(error))
      return { refused: 'QUOTE_NOT_CLOSED', line: before + 1 };
    return { refused: 'NOT_A_TABLE' };
  }
  return tableOf(rows);
}

/** Empty lines are not counted as rows, but they end somewhere, too. */
const MAX_EMPTY = 10_000;

class TooManyRows extends Error {}
class QuoteNotClosed extends Error {}

const isNotClosed = (error: unknown): boolean =>
  error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED';

/** Leaves out the line `sep=;` with which spreadsheets name their delimiter; `start` counts the lines left out. */
function prepare(text: string): { text: string; delimiter: Delimiter; start: number } {
  const named = /^\uFEFF?sep=([;,\t])\r?\n/i.exec(text);
  if (named) return { text: text.slice(named[0].length), delimiter: asDelimiter(named[1]), start: 1 };
  return { text: text.replace(/^\uFEFF/, ''), delimiter: delimiterOf(text), start: 0 };
}

const asDelimiter = (text: string | undefined): Delimiter => (text === ';' || text === '\t' ? text : ',');
