import { delimiterOf } from '#platform/tabular/delimiter.ts';
import { maxStored, readValue, type EntryColumn } from './values.ts';

/* What was copied from a spreadsheet, as changes of a sheet. Pure. */

/** An employee whose row is looked for. */
interface PasteRow {
  employeeId: string;
  name: string;
  registration: string;
  /** Without punctuation. */
  cpf: string;
  /** By the keys of columns; what is missing is empty. */
  values: ReadonlyMap<string, number>;
}

export type IgnoredReason = 'row' | 'column' | 'value' | 'negative';

export interface Pasted {
  changes: { employeeId: string; column: string; value: number }[];
  /** Cells that were empty, that had another value, and that had the same one. */
  filled: number;
  replaced: number;
  same: number;
  ignored: { line: number; text: string; reason: IgnoredReason }[];
}

const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .toLowerCase()
    .trim();
const digits = (text: string): string => text.replaceAll(/\D/g, '');

/** The cells of a text: tabs, semicolons or commas between them, quotes around those that contain one. */
export function cellsOfText(text: string): string[][] {
  const delimiter = text.includes('\t') ? '\t' : delimiterOf(text);
  const rows: string[][] = [[]];
  let cell = '';
  let isQuoted = false;
  const endCell = (): void => {
    rows.at(-1)?.push(cell);
    cell = '';
  };
  const plain = text.replaceAll(/\r\n?/g, '\n');
  for (let at = 0; at < plain.length; at += 1) {
    const char = plain[at] ?? '';
    if (isQuoted) {
      if (char !== '"') cell += char;
      else if (plain[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (char === '"' && cell === '') isQuoted = true;
    else if (char === delimiter) endCell();
    else if (char === '\n') {
      endCell();
      rows.push([]);
    } else cell += char;
  }
  endCell();
  return rows.filter((row) => row.some((each) => each.trim() !== ''));
}

/** The cell of a sheet into which is pasted: what is found by position begins there. */
export interface PasteStart {
  employeeId: string;
  column: string;
}

/**
 * Reads pasted cells. Columns are found by labels or codes in the first row, otherwise by position; employees by their
 * registration, CPF or name in a column, otherwise by position. Positions are from `at` on, or from the first cell.
 */
export function readPaste(
  table: readonly (readonly string[])[],
  rows: readonly PasteRow[],
  columns: readonly EntryColumn[],
  at?: PasteStart,
): Pasted {
  const firstRow = Math.max(
    0,
    rows.findIndex(({ employeeId }) => employeeId === at?.employeeId),
  );
  const firstColumn = Math.max(
    0,
    columns.findIndex(({ key }) => key === at?.column),
  );
  const [header = []] = table;
  const named = header.map((cell) => columnNamed(columns, cell));
  const hasHeader = named.some((column) => column !== undefined);
  const lines = table.slice(hasHeader ? 1 : 0);
  const keys = rowKeys(rows);
  const idAt = idColumn(lines, keys, named);
  const pasted: Pasted = { changes: [], filled: 0, replaced: 0, same: 0, ignored: [] };
  const changes: Changes = new Map();
  // a column beside the one that was found may identify the employee, too
  const isAlsoId = (at: number): boolean =>
    idAt !== undefined && lines.every((line) => (line[at] ?? '').trim() === '' || keys.has(keyOf(line[at])));
  const places = header.map((_, at) => at);
  const valuePlaces = hasHeader ? places : places.filter((at) => at !== idAt && !isAlsoId(at));
  lines.forEach((line, index) => {
    const number = index + (hasHeader ? 2 : 1);
    const row = idAt === undefined ? rows[firstRow + index] : keys.get(keyOf(line[idAt]));
    if (!row) {
      pasted.ignored.push({ line: number, text: line[idAt ?? 0] ?? '', reason: 'row' });
      return;
    }
    valuePlaces.forEach((place, order) => {
      const text = (line[place] ?? '').trim();
      if (text === '' || place === idAt) return;
      const column = hasHeader ? named[place] : columns[firstColumn + order];
      // what stands in columns of other names is not meant for the sheet
      if (!column) {
        if (!hasHeader) pasted.ignored.push({ line: number, text, reason: 'column' });
        return;
      }
      add(pasted, changes, { line: number, text, row, column });
    });
  });
  return { ...pasted, changes: [...changes.values()] };
}

/** What is changed, by employee and column. */
type Changes = Map<string, Pasted['changes'][number]>;

function add(
  pasted: Pasted,
  changes: Changes,
  { line, text, row, column }: { line: number; text: string; row: PasteRow; column: EntryColumn },
): void {
  const value = pastedValue(column, text);
  if (typeof value === 'string') {
    pasted.ignored.push({ line, text, reason: value });
    return;
  }
  const before = row.values.get(column.key);
  if (before === value) pasted.same += 1;
  else {
    if (before === undefined) pasted.filled += 1;
    else pasted.replaced += 1;
    // of an employee who is there twice, the last line counts
    const { employeeId } = row;
    const cell = `${employeeId} ${column.key}`;
    changes.delete(cell);
    changes.set(cell, { employeeId, column: column.key, value });
  }
}

/** A value as spreadsheets show it: `1.234,50`, `R$ 80`, `8h30`, `08:30:00`, or part of a day in a column of hours. */
export function pastedValue(column: EntryColumn, text: string): number | 'value' | 'negative' {
  const plain = text.replaceAll(/R\$|[\s\u00A0]/g, '');
  if (/^[-−(]/.test(plain)) return 'negative';
  const read = readValue(column, column.type === 'hours' ? hoursIn(plain) : amountIn(plain));
  if ('problem' in read || read.value === null || read.value > maxStored(column.type)) return 'value';
  return read.value;
}

const MINUTES_OF_DAY = 24 * 60;

function hoursIn(text: string): string {
  const withLetter = /^(\d{1,3})h(\d{1,2})?(?:m|min)?$/i.exec(text);
  if (withLetter) return `${withLetter[1] ?? ''}:${withLetter[2] ?? '00'}`;
  const withSeconds = /^(\d{1,3}:\d{1,2}):\d{2}$/.exec(text);
  if (withSeconds) return withSeconds[1] ?? '';
  if (!/^\d{1,2}[.,]\d{3,}$/.test(text)) return text;
  // how spreadsheets store a time: as a part of a day
  const minutes = Math.round(Number(text.replace(',', '.')) * MINUTES_OF_DAY);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}

/** An amount with one separator: those of thousands are left out. */
function amountIn(text: string): string {
  const last = Math.max(text.lastIndexOf(','), text.lastIndexOf('.'));
  if (last < 0) return text;
  const [whole, part] = [text.slice(0, last), text.slice(last + 1)];
  const separators = /[.,]/g;
  // 1.234 is a thousand: amounts have at most two places
  if (/^\d{3}$/.test(part) && /^\d{1,3}(?:[.,]\d{3})*$/.test(whole))
    return whole.replaceAll(separators, '') + part;
  if (!/[.,]/.test(whole)) return text;
  return /^\d{1,3}(?:[.,]\d{3})+$/.test(whole) ? `${whole.replaceAll(separators, '')}.${part}` : text;
}

export const columnNamed = (columns: readonly EntryColumn[], text: string): EntryColumn | undefined => {
  const name = fold(text);
  if (name === '') return undefined;
  return columns.find(({ label, code, key }) =>
    [label, code, key].some((own) => own !== '' && fold(own) === name),
  );
};

/** A CPF is recognized without its punctuation, also if a spreadsheet has eaten its first zeros. */
function keyOf(text: string | undefined): string {
  const plain = (text ?? '').trim();
  const number = digits(plain);
  return /^[\d.\-/]+$/.test(plain) && number.length >= 9 ? `cpf ${number.padStart(11, '0')}` : fold(plain);
}

/** The employees by what identifies each of them; what two have identifies none. */
function rowKeys(rows: readonly PasteRow[]): ReadonlyMap<string, PasteRow> {
  const keys = new Map<string, PasteRow>();
  const twice = new Set<string>();
  for (const row of rows)
    for (const key of [fold(row.registration), fold(row.name), `cpf ${row.cpf}`]) {
      if (key === '' || key === 'cpf ') continue;
      if (keys.has(key)) twice.add(key);
      keys.set(key, row);
    }
  for (const key of twice) keys.delete(key);
  return keys;
}

/** The column that identifies employees: that in which the most cells do, and at least one of two. */
function idColumn(
  lines: readonly (readonly string[])[],
  keys: ReadonlyMap<string, PasteRow>,
  named: readonly unknown[],
): number | undefined {
  const width = Math.max(0, ...lines.map(({ length }) => length));
  const counts = Array.from({ length: width }, (_, at) =>
    named[at] === undefined ? lines.filter((line) => keys.has(keyOf(line[at]))).length : 0,
  );
  const most = Math.max(0, ...counts);
  return most * 2 >= lines.length && most > 0 ? counts.indexOf(most) : undefined;
}
