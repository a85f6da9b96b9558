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

export interface TabularFile {
  /** The names in the header, each of them once; a column without a name has an empty one. */
  columns: string[];
  rows: TabularRow[];
}

/** Why a file cannot be read at all. */
export type FileProblem =
  'NOT_A_TABLE' | 'EMPTY' | 'DAMAGED' | 'TOO_LARGE' | 'TOO_MANY_ROWS' | 'TOO_MANY_COLUMNS' | 'QUOTES';

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

/** The table of these rows, the first of which is its header; undefined rows and columns are left out. */
export function tableOf(rows: readonly RawRow[]): Tabular {
  const [header, ...others] = rows.filter(
    ({ cells, problem }) => problem ?? cells.some((cell) => cell !== ''),
  );
  if (!header) return { refused: 'EMPTY' };
  if (header.problem) return { refused: 'NOT_A_TABLE', line: header.line };
  const columns = uniqueNames(withoutEmptyEnd(header.cells));
  if (columns.length > MAX_COLUMNS) return { refused: 'TOO_MANY_COLUMNS', line: header.line };
  if (others.length > MAX_ROWS) return { refused: 'TOO_MANY_ROWS', line: others[MAX_ROWS]?.line ?? 0 };
  let characters = 0;
  for (const { cells } of others) for (const cell of cells) characters += cell.length;
  if (characters > MAX_CHARACTERS) return { refused: 'TOO_LARGE' };
  return { columns, rows: others.map((row) => rowOf(row, columns.length)) };
}

function rowOf({ line, cells, problem }: RawRow, width: number): TabularRow {
  const row = { line, cells: Array.from({ length: width }, (_, index) => cells[index] ?? '') };
  if (problem) return { ...row, problem };
  if (withoutEmptyEnd(cells).length > width) return { ...row, problem: 'COLUMNS' };
  if (!cells.some((cell) => cell.length > MAX_CELL)) return row;
  return { ...row, cells: row.cells.map((cell) => cell.slice(0, MAX_CELL)), problem: 'CELL_TOO_LONG' };
}

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
