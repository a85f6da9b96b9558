import { maxStored, type EntryColumn } from './values.ts';

/* What is checked before a sheet is sent. Pure. */

/** What is known of an employee in the month of a sheet. */
export interface CheckedRow {
  employeeId: string;
  /** By the keys of columns. */
  values: ReadonlyMap<string, number>;
  /** Whether the contract lasted on at least one day of the month. */
  isEmployed: boolean;
  /** Whether leaves cover the whole month. */
  isAway: boolean;
  /** The mean of the last three months by column, where there were values. */
  means: ReadonlyMap<string, number>;
}

const RULES = ['min', 'max', 'days', 'notEmployed', 'overtime', 'onLeave', 'unusual'] as const;
export type Rule = (typeof RULES)[number];

/** Something that a person must correct (`blocks`), or should look at again before it is sent. */
export interface Finding {
  rule: Rule;
  blocks: boolean;
  employeeId: string;
  column: string;
}

const BLOCKING: readonly Rule[] = ['min', 'max', 'days', 'notEmployed'];
/** More than this many times the mean is unusual. */
const UNUSUAL = 5;
/** The longest overtime of a day, in minutes (CLT, art. 59). */
const OVERTIME = 120;

/** What of a sheet is to be corrected or looked at; `days` are the days of its month. */
export const checkSheet = (
  columns: readonly EntryColumn[],
  rows: readonly CheckedRow[],
  days: number,
): Finding[] =>
  rows.flatMap((row) =>
    columns.flatMap((column) => {
      const value = row.values.get(column.key);
      if (value === undefined) return [];
      return RULES.filter((rule) => applies(rule, { column, row, value, days })).map((rule) => ({
        rule,
        blocks: BLOCKING.includes(rule),
        employeeId: row.employeeId,
        column: column.key,
      }));
    }),
  );

function applies(
  rule: Rule,
  { column, row, value, days }: { column: EntryColumn; row: CheckedRow; value: number; days: number },
): boolean {
  switch (rule) {
    case 'min':
      return column.min !== null && value < column.min;
    case 'max':
      return value > (column.max ?? maxStored(column.type));
    case 'days':
      return column.unit === 'days' && value > days * 100;
    case 'notEmployed':
      return !row.isEmployed && value > 0;
    case 'overtime':
      return column.type === 'hours' && !column.isDeduction && value > days * OVERTIME;
    case 'onLeave':
      return row.isAway && !column.isDeduction && value > 0;
    case 'unusual': {
      const mean = row.means.get(column.key);
      return mean !== undefined && mean > 0 && value > mean * UNUSUAL;
    }
  }
}
