import { sql, type Expression, type SqlBool } from 'kysely';
import { z } from 'zod';
import { fold } from '#platform/database/database.server.ts';
import { startOfDay } from '#platform/text/time-zones.ts';
import { gridFilter, type FilterItem, type FilterScalar, type GridFilter } from './grids.ts';

/*
 * Filters of grids as SQL for both engines. Names of columns come from the definition of the grid alone; values are
 * parameters. Blank cells match BLANK and the negated operators, and no comparison: a negated operator is the exact
 * complement of the other (docs/decisions/0052).
 */

/**
 * The type of a column: text is compared folded, unless it is exact (ids and codes of the program); a choice has few
 * exact values; times are epoch ms.
 */
export type ColumnType = 'text' | 'exact' | 'choice' | 'number' | 'time';

/** The SQL of a column. Nullable texts must be wrapped in `coalesce(…, '')` (`blankable` does it). */
export interface FilterColumn {
  type: ColumnType;
  sql: Expression<unknown>;
}

const day = z.iso.date();
const VALUES: Record<ColumnType, z.ZodType<string | number>> = {
  text: z.string(),
  exact: z.string(),
  choice: z.string(),
  number: z.number(),
  time: z.union([z.number().int().min(-8.64e15).max(8.64e15), day]),
};

const NO_VALUE = ['BLANK', '!BLANK'];
const PAIR = ['BETWEEN', '!BETWEEN'];
const LIST = ['IN', '!IN'];

/** The schema of the filter of a grid: only its columns, with values of their types. */
export const filterSchema = (columns: Readonly<Record<string, Pick<FilterColumn, 'type'>>>) =>
  gridFilter.superRefine(({ groups }, context) => {
    for (const [at, { items }] of groups.entries())
      for (const [index, item] of items.entries())
        if (!isValid(item, Object.hasOwn(columns, item.by) ? columns[item.by]?.type : undefined))
          context.addIssue({ code: 'custom', path: ['groups', at, 'items', index], message: 'invalid item' });
  });

function isValid({ op, value }: FilterItem, type: ColumnType | undefined): boolean {
  if (type === undefined) return false;
  if (NO_VALUE.includes(op)) return value === undefined;
  const values = PAIR.includes(op) || LIST.includes(op) ? value : [value];
  if (!Array.isArray(values) || (PAIR.includes(op) && values.length !== 2)) return false;
  if (op === 'LIKE' && (type === 'number' || type === 'time')) return false;
  return values.every((one) => VALUES[type].safeParse(one).success && !String(one).includes('\0'));
}

/** The condition of a filter; days are those of the time zone. */
export function filterCondition(
  { groups }: GridFilter,
  columns: Readonly<Record<string, FilterColumn>>,
  timeZone: string,
): Expression<SqlBool> {
  const conditions = groups.map(({ useOr, items }) =>
    joined(
      useOr ? sql` or ` : sql` and `,
      items.flatMap((item) => {
        const column = Object.hasOwn(columns, item.by) ? columns[item.by] : undefined;
        return column ? [itemCondition(item, column, timeZone)] : [];
      }),
    ),
  );
  return joined(sql` and `, conditions);
}

const joined = (by: Expression<unknown>, parts: readonly Expression<SqlBool>[]): Expression<SqlBool> =>
  parts.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`(${sql.join(parts, sql`${by}`)})`;

function itemCondition(item: FilterItem, column: FilterColumn, timeZone: string): Expression<SqlBool> {
  const { op } = item;
  if (!op.startsWith('!')) return positive(item, column, timeZone);
  const opposite = { ...item, op: OPPOSITE[op] ?? 'BLANK' };
  // not `not (…)`: that would be unknown for blank cells
  return sql<SqlBool>`(${positive(opposite, column, timeZone)}) is not true`;
}

const OPPOSITE: Partial<Record<string, FilterItem['op']>> = {
  '!BLANK': 'BLANK',
  '!EQ': 'EQ',
  '!BETWEEN': 'BETWEEN',
  '!IN': 'IN',
};

function positive(
  { op, value }: FilterItem,
  { type, sql: cell }: FilterColumn,
  timeZone: string,
): Expression<SqlBool> {
  const isText = type !== 'number' && type !== 'time';
  if (op === 'BLANK')
    return isText ? sql<SqlBool>`(${cell} is null or ${cell} = '')` : sql<SqlBool>`${cell} is null`;
  const values = (Array.isArray(value) ? value : [value]).flatMap((one) => (one === undefined ? [] : [one]));
  const [first = '', second = ''] = values;
  if (op === 'LIKE')
    return type === 'text'
      ? contains(cell, fold(String(first)))
      : contains(sql`lower(${cell})`, inLowerCase(String(first)));
  const range = (one: FilterScalar): Range => rangeOf(one, type, timeZone);
  const equals = (one: FilterScalar): Expression<SqlBool> => {
    const { from, to } = range(one);
    return to === undefined
      ? sql<SqlBool>`${cell} = ${from}`
      : sql<SqlBool>`(${cell} >= ${from} and ${cell} < ${to})`;
  };
  const until = (one: FilterScalar): Expression<SqlBool> => {
    const { from, to } = range(one);
    return to === undefined ? sql<SqlBool>`${cell} <= ${from}` : sql<SqlBool>`${cell} < ${to}`;
  };
  const since = (one: FilterScalar): Expression<SqlBool> => sql<SqlBool>`${cell} >= ${range(one).from}`;
  // a blank text is no text before all others: it has no place in an order
  const ordered = (condition: Expression<SqlBool>): Expression<SqlBool> =>
    isText ? sql<SqlBool>`(${condition} and ${cell} <> '')` : condition;
  switch (op) {
    case 'LT':
      return ordered(sql<SqlBool>`${cell} < ${range(first).from}`);
    case 'LE':
      return ordered(until(first));
    case 'GT': {
      const { from, to } = range(first);
      return ordered(to === undefined ? sql<SqlBool>`${cell} > ${from}` : sql<SqlBool>`${cell} >= ${to}`);
    }
    case 'GE':
      return ordered(since(first));
    case 'BETWEEN':
      return ordered(sql<SqlBool>`(${since(first)} and ${until(second)})`);
    case 'IN':
      return joined(sql` or `, values.map(equals));
    default:
      return equals(first);
  }
}

/** A text contains another one, which is no pattern. */
export const contains = (cell: Expression<unknown>, text: string): Expression<SqlBool> =>
  sql<SqlBool>`${cell} like ${`%${text.replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`;

/** As both engines lower a text by themselves: only its ASCII letters. */
const inLowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** From a value (included) to another (excluded); without `to` a single value. */
interface Range {
  from: Expression<unknown>;
  to?: Expression<unknown>;
}

function rangeOf(value: FilterScalar, type: ColumnType, timeZone: string): Range {
  if (type === 'time' && typeof value === 'string')
    return {
      from: sql`${startOfDay(value, timeZone)}`,
      to: sql`${startOfDay(value, timeZone, 1)}`,
    };
  // PostgreSQL would read the parameter as the type of the column, which 1.5 or a large number does not fit
  if (type === 'number') return { from: sql`cast(${value} as numeric)` };
  if (type === 'text') return { from: sql`${fold(String(value))}` };
  return { from: sql`${value}` };
}
