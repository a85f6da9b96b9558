import { LANGUAGES, type Lang } from '../text/languages.ts';
import { translationsFor, type KeysOf } from '../text/translations.server.ts';
import type { T } from '../text/messages.ts';
import { CSV_START, csvRow, csvSeparator } from './csv-writer.ts';

/** A column of the tables in exports of all data: all of them share their words. */
type ExportColumn = KeysOf<'export-columns'>;

/**
 * A date is text, `2026-02-28`; a moment in epoch ms is `{ at }`; `{ minor }` is an amount in the minor unit of a currency
 * with two decimals; `{ word }` is a code such as `accepted`, which is translated if `export-columns` has a word for it.
 */
type Cell =
  string | number | boolean | null | undefined | { at: number | null } | { minor: number } | { word: string };

/**
 * A table of an export of all data, as it is read: its columns and words are in the language of who requested it, moments
 * in UTC (ISO 8601). Without rows it is empty, and the export leaves it out.
 */
export async function* exportedTable<Column extends ExportColumn>(
  lang: Lang,
  columns: readonly Column[],
  rows: AsyncIterable<Readonly<Record<Column, Cell>>>,
): AsyncGenerator<string, void> {
  const textOf = cellTexts(lang);
  const t = translationsFor(lang, 'export-columns');
  const separator = csvSeparator(lang);
  const names = columns.map((column) => t(column));
  let start = CSV_START + csvRow(names, separator);
  for await (const row of rows) {
    const cells = columns.map((column) => textOf(row[column]));
    yield start + csvRow(cells, separator);
    start = '';
  }
}

function cellTexts(lang: Lang): (cell: Cell) => string | number {
  const t = translationsFor(lang, 'export-columns') as T<string>;
  const amount = new Intl.NumberFormat(LANGUAGES[lang], { minimumFractionDigits: 2, useGrouping: false });
  const wordOf = (code: string): string => {
    const word = t(`word_${code}`);
    return word === `word_${code}` ? code : word;
  };
  return (cell) => {
    if (typeof cell === 'boolean') return t(cell ? 'yes' : 'no');
    if (typeof cell !== 'object' || cell === null) return cell ?? '';
    if ('minor' in cell) return amount.format(cell.minor / 100);
    if ('word' in cell) return wordOf(cell.word);
    return cell.at === null ? '' : new Date(cell.at).toISOString();
  };
}
