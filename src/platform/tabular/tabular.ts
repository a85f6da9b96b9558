/*
 * Tables that people upload: a header row and rows of text. Nothing is calculated or converted; what a cell
 * means is decided by who reads it.
 */

/** A row that cannot be taken as it is: broken quotes, more cells than the header, or a cell that is too long. */
type RowProblem = 'QUOTES' | 'COLUMNS' | 'CELL_TOO_LONG';

interface TabularRow {
  /** The line of the file in which the row begins, or the number of the row in its sheet; from 1. */
  line: number;
  /** As many as there are columns. */
  cells: string[];
  problem?: RowProblem;
}

/** Where the table is in its file; what is not given is found. */
export interface TablePlace {
  /** The name of a sheet, or its number from 1. */
  sheet?: string | undefined;
  /** The line, or row of the sheet, with the names of the columns. */
  headingLine?: number | undefined;
}

export interface TabularFile {
  /** The line, or row of the sheet, with the names of the columns. */
  headingLine: number;
  /** Of a workbook: the sheet that was read, and the names of all. */
  sheet?: string;
  sheets?: string[];
  /** The names in the header, each of them once; a column without a name has an empty one. */
  columns: string[];
  rows: TabularRow[];
}

/** Why a file cannot be read at all. */
export type FileProblem =
  | 'NOT_A_TABLE'
  | 'NO_SUCH_SHEET'
  | 'EMPTY'
  | 'DAMAGED'
  | 'TOO_LARGE'
  | 'TOO_MANY_ROWS'
  | 'TOO_MANY_COLUMNS'
  | 'QUOTES';

export type Tabular = TabularFile | { refused: FileProblem; line?: number };

export const MAX_FILE_BYTES = 20_000_000;
export const MAX_ROWS = 10_000;
export const MAX_COLUMNS = 200;
/** Characters of one cell, and of all cells: references to one long text add up, too. */
const MAX_CELL = 10_000;
const MAX_CHARACTERS = 30_000_000;

/** Rows as they were read, before their header is known. */
export interface RawRow {
  line: number;
  cells: string[];
  problem?: RowProblem;
}

/**
 * The table of these rows, without empty rows and columns, and without what stands above its header. In a workbook each
 * cell has its place, and what stands to the right of the last name is in columns without a name; in a text it may be that
 * a value holds the delimiter, which is a problem of its row.
 */
export function tableOf(
  rows: readonly RawRow[],
  { headingLine, hasPlaces = false }: { headingLine?: number | undefined; hasPlaces?: boolean } = {},
): Tabular {
  const filled = rows.filter(({ cells, problem }) => problem ?? cells.some((cell) => cell !== ''));
  const first =
    headingLine === undefined ? headingOf(filled) : filled.findIndex(({ line }) => line >= headingLine);
  const [header, ...others] = first < 0 ? [] : filled.slice(first);
  if (!header) return { refused: 'EMPTY' };
  if (header.problem) return { refused: 'NOT_A_TABLE', line: header.line };
  const names = withoutEmptyEnd(header.cells);
  const width = hasPlaces ? Math.min(MAX_COLUMNS, widthOf(others)) : 0;
  const columns = uniqueNames(
    Array.from({ length: Math.max(names.length, width) }, (_, at) => names[at] ?? ''),
  );
  if (columns.length > MAX_COLUMNS) return { refused: 'TOO_MANY_COLUMNS', line: header.line };
  if (others.length > MAX_ROWS) return { refused: 'TOO_MANY_ROWS', line: others[MAX_ROWS]?.line ?? 0 };
  let characters = 0;
  for (const { cells } of others) for (const cell of cells) characters += cell.length;
  if (characters > MAX_CHARACTERS) return { refused: 'TOO_LARGE' };
  return { headingLine: header.line, columns, rows: others.map((row) => rowOf(row, columns.length)) };
}

/** How many first rows are looked at for the header. */
const SEARCHED = 50;

/**
 * The index of the header: the first row, unless reports put titles above the table, with one cell where it has several,
 * or with two where it has five or more.
 */
function headingOf(rows: readonly RawRow[]): number {
  const widths = rows
    .slice(0, SEARCHED)
    .map(({ cells, problem }) =>
      problem || cells.length > MAX_COLUMNS ? 0 : cells.filter((cell) => cell.trim() !== '').length,
    );
  const widest = Math.max(0, ...widths);
  const most = widest >= 5 ? 2 : 1;
  if (widest < 2 || (widths[0] ?? 0) > most) return 0;
  return Math.max(
    0,
    widths.findIndex((width) => width > most && width >= widest / 2),
  );
}

function rowOf({ line, cells, problem }: RawRow, width: number): TabularRow {
  const row = { line, cells: Array.from({ length: width }, (_, index) => cells[index] ?? '') };
  if (problem) return { ...row, problem };
  if (withoutEmptyEnd(cells).length > width) return { ...row, problem: 'COLUMNS' };
  if (!cells.some((cell) => cell.length > MAX_CELL)) return row;
  return { ...row, cells: row.cells.map((cell) => cell.slice(0, MAX_CELL)), problem: 'CELL_TOO_LONG' };
}

const widthOf = (rows: readonly RawRow[]): number =>
  rows.reduce((widest, { cells }) => Math.max(widest, withoutEmptyEnd(cells).length), 0);

function withoutEmptyEnd(cells: readonly string[]): string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== '') + 1);
}

/** Columns of the same name are told apart by a number; a name is cut where nobody would read on. */
function uniqueNames(cells: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return cells.map((cell) => {
    const name = cell.trim().replaceAll(/\s+/g, ' ').slice(0, MAX_NAME);
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return name === '' || times === 1 ? name : `${name} (${times})`;
  });
}

const MAX_NAME = 100;
