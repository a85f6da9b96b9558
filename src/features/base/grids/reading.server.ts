import { sql, type Expression, type SqlBool } from 'kysely';
import { z } from 'zod';
import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { decrypt, encrypt } from '#platform/security/crypto.server.ts';
import { fold } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import {
  isFilterable,
  type Grid,
  type GridCore,
  type GridRows,
  type Summed,
  type SumOfPart,
} from './define.server.ts';
import { contains, filterCondition, type FilterColumn } from './filters.server.ts';
import type { GridQuery, GroupKey } from './grids.ts';

/** Rows of a grid, or groups while the path is shorter than the list of grouped columns. */
export interface GridPage<Row> {
  rows: readonly Row[];
  groups: readonly Group[];
  /** The number of matching rows, in the opened group, at most {@link MAX_COUNTED}; with `isCut` there are more. */
  total: number;
  isCut: boolean;
  start: number;
  next: string | undefined;
  previous: string | undefined;
}

interface Group {
  key: GroupKey;
  /** The text of a group of a text column. */
  text: string | undefined;
  count: number;
}

/** The number of rows of a page, and of groups. */
export const PAGE = 25;
export const MAX_PAGE = 200;
const MAX_GROUP_ROWS = 200;
/** Counting ends here, so that a page takes as long in a list of any length. */
const MAX_COUNTED = 1000;

/** What is said of a number of rows that was counted up to one more. */
const counted = (total: number): Pick<GridPage<unknown>, 'total' | 'isCut'> => ({
  total: Math.min(total, MAX_COUNTED),
  isCut: total > MAX_COUNTED,
});

/**
 * Reads a page of a grid: the rows, or the groups of the next level. INVALID for an `after` that this grid has not
 * made for this person and order.
 */
export async function readGrid<Row>(
  grid: Grid<Row>,
  actor: Actor,
  query: GridQuery,
  limit = PAGE,
): Promise<GridPage<Row>> {
  const from = await grid.open(actor, query);
  const where = await conditionsOf(grid, actor, query);
  return query.path.length < query.groupBy.length
    ? readGroups(grid, actor, query, { from, where })
    : readRows(grid, actor, query, { from, where, limit });
}

/** Counts the rows of a grid as its page does: at most {@link MAX_COUNTED}, and with `isCut` there are more. */
export async function countRows<Row>(
  grid: Grid<Row>,
  actor: Actor,
  query: GridQuery,
): Promise<Pick<GridPage<Row>, 'total' | 'isCut'>> {
  const from = await grid.open(actor, query);
  return counted(await from.count(await conditionsOf(grid, actor, query), MAX_COUNTED + 1));
}

/** The ids of all matching rows in their order, a batch at a time. */
export async function* idsOf<Row>(
  grid: Grid<Row>,
  actor: Actor,
  query: Omit<GridQuery, 'after'>,
  batch = 1000,
): AsyncGenerator<(string | number)[], void> {
  const from = await grid.open(actor, { ...query, groupBy: query.groupBy.slice(0, query.path.length) });
  const where = await conditionsOf(grid, actor, { ...query, after: undefined });
  const order = orderOf(grid, query.orderBy);
  for (let last: Values | undefined; ;) {
    const keys = await keysOf(from.run, { where, order, limit: batch, after: last });
    if (keys.length > 0) yield keys.map(({ id }) => id);
    last = keys.at(-1)?.values;
    if (keys.length < batch) return;
  }
}

/** Sums are over at most so many rows. */
const MAX_SUMMED = 100_000;

/** Sums a value of all matching rows, in parts; with `isCut` there are more rows than are summed. */
export async function sumsOf(
  grid: GridCore,
  actor: Actor,
  query: GridQuery,
  of: Summed,
): Promise<{ parts: SumOfPart[]; isCut: boolean }> {
  const from = await grid.open(actor, query);
  const where = await conditionsOf(grid, actor, { ...query, after: undefined });
  const parts = await from.sums(where, of, MAX_SUMMED);
  return { parts, isCut: parts.reduce((all, { count }) => all + count, 0) >= MAX_SUMMED };
}

/** Loads rows in the order of their ids. Rows that went meanwhile are missing. */
export async function rowsOf<Row>(
  { rows, idOf }: Grid<Row>,
  actor: Actor,
  ids: readonly (string | number)[],
): Promise<Row[]> {
  if (ids.length === 0) return [];
  const found = new Map((await rows(actor, ids)).map((row) => [idOf(row), row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

async function conditionsOf(
  grid: GridCore,
  actor: Actor,
  { searchTerm, fields, filter, groupBy, path }: GridQuery,
): Promise<Expression<SqlBool>[]> {
  const columns = filterColumns(grid);
  const { timeZone } = await firmOf(actor.companyId);
  const conditions: Expression<SqlBool>[] = [];
  if (searchTerm !== '' && grid.search && !('isInFrom' in grid.search))
    conditions.push(
      'where' in grid.search
        ? await grid.search.where(actor, searchTerm)
        : sql<SqlBool>`(${sql.join(
            grid.search.in.map((by) => contains(sqlOf(grid, by), fold(searchTerm))),
            sql` or `,
          )})`,
    );
  for (const [name, field] of Object.entries(grid.fields ?? {})) {
    const value = fields[name] ?? '';
    if (value === '' || 'isInFrom' in field) continue;
    if ('where' in field) conditions.push(await field.where(actor, value));
    else {
      const typed = columns[field.by]?.type === 'number' ? Number(value) : value;
      const item = { by: field.by, op: field.op, value: field.op === 'IN' ? [typed] : typed };
      conditions.push(filterCondition({ groups: [{ useOr: false, items: [item] }] }, columns, timeZone));
    }
  }
  if (filter) conditions.push(filterCondition(filter, columns, timeZone));
  for (const [level, key] of path.entries()) {
    const by = sqlOf(grid, groupBy[level] ?? '');
    conditions.push(key === null ? sql<SqlBool>`${by} is null` : sql<SqlBool>`${by} = ${key}`);
  }
  return conditions;
}

/** The columns by which a filter may choose, with blank texts as ''. */
const filterColumns = (grid: GridCore): Record<string, FilterColumn> =>
  Object.fromEntries(
    Object.entries(grid.columns).flatMap(([key, column]) =>
      isFilterable(column) ? [[key, { type: column.type, sql: sqlOf(grid, key) }]] : [],
    ),
  );

const isNumeric = (type: string): boolean => type === 'number' || type === 'time';

/** The SQL of a column, in which a blank text is ''. */
function sqlOf({ columns }: GridCore, by: string): Expression<unknown> {
  const column = Object.hasOwn(columns, by) ? columns[by] : undefined;
  if (!column?.sql) throw new Error(`The column ${by} of the grid has no SQL.`);
  return column.isNullable && !isNumeric(column.type) ? sql`coalesce(${column.sql}, '')` : column.sql;
}

interface OrderPart {
  by: Expression<unknown>;
  dir: 'asc' | 'desc';
}

/** The order, without nulls, which the engines sort differently: blank cells come first. It ends with the id. */
function orderOf(grid: GridCore, orderBy: GridQuery['orderBy']): OrderPart[] {
  const chosen = orderBy.length > 0 ? orderBy : grid.orderBy;
  const parts = chosen.map(({ by, dir }): OrderPart => {
    const column = grid.columns[by];
    const value = column?.sortSql ?? sqlOf(grid, by);
    return {
      by:
        column?.isNullable && isNumeric(column.type)
          ? sql`coalesce(${value}, ${sql.lit(BEFORE_ALL)})`
          : value,
      dir,
    };
  });
  return [...parts, { by: grid.id, dir: chosen.at(-1)?.dir ?? 'asc' }];
}

const BEFORE_ALL = -9_007_199_254_740_991;

type Values = readonly (string | number)[];

interface Key {
  id: string | number;
  values: Values;
}

type LimitedStatement = Parameters<NonNullable<GridRows['runCounting']>>[0];

/** The ids of a page with the values that order them, from those after (or with `isBack` before) some values. */
async function keysOf(
  run: (statement: LimitedStatement) => ReturnType<GridRows['run']>,
  {
    where,
    order,
    limit,
    after,
    isBack = false,
  }: {
    where: readonly Expression<SqlBool>[];
    order: readonly OrderPart[];
    limit: number;
    after: Values | undefined;
    isBack?: boolean;
  },
): Promise<Key[]> {
  const turned = isBack
    ? order.map(({ by, dir }) => ({ by, dir: dir === 'asc' ? 'desc' : 'asc' }) as const)
    : order;
  const found = await run({
    select: order.map(({ by }, index) => [`k${index}`, by]),
    where: after ? [...where, isAfter(turned, after)] : where,
    orderBy: turned.map(({ by, dir }) => [by, dir]),
    limit,
  });
  const keys = found.map((row) => {
    const values = order.map((_, index) => scalarOf(row[`k${index}`]));
    return { id: values.at(-1) ?? '', values };
  });
  return isBack ? keys.toReversed() : keys;
}

const scalarOf = (value: unknown): string | number => (typeof value === 'number' ? value : String(value));

/**
 * The rows after these values: by row values where all parts have one direction, which an index serves. SQLite finds the
 * beginning in an index of an expression only by a comparison with the first value alone.
 */
function isAfter(order: readonly OrderPart[], values: Values): Expression<SqlBool> {
  const [first] = order;
  if (first && order.every(({ dir }) => dir === first.dir))
    return sql<SqlBool>`(${first.by} ${than(first.dir)}= ${values[0]} and (${sql.join(order.map(({ by }) => by))}) ${than(first.dir)} (${sql.join(values)}))`;
  const cases = order.map(({ by, dir }, index) => {
    const before = order.slice(0, index).map((part, at) => sql`${part.by} = ${values[at]}`);
    return sql`(${sql.join([...before, sql`${by} ${than(dir)} ${values[index]}`], sql` and `)})`;
  });
  return sql<SqlBool>`(${sql.join(cases, sql` or `)})`;
}

const than = (dir: OrderPart['dir']) => (dir === 'desc' ? sql`<` : sql`>`);

async function readRows<Row>(
  grid: Grid<Row>,
  actor: Actor,
  query: GridQuery,
  { from, where, limit }: { from: GridRows; where: readonly Expression<SqlBool>[]; limit: number },
): Promise<GridPage<Row>> {
  const order = orderOf(grid, query.orderBy);
  const cursor = cursorIn(grid, actor, query, order.length);
  const max = MAX_COUNTED + 1;
  const { run, runCounting } = from;
  let known = cursor?.total;
  const found = await keysOf(
    async (statement) => {
      if (known !== undefined || !runCounting) return run(statement);
      const first = await runCounting(statement);
      known = Math.min(first.total, max);
      return first.rows;
    },
    {
      where,
      order,
      limit: limit + 1,
      after: cursor?.values,
      isBack: cursor?.isBack ?? false,
    },
  );
  const hasMore = found.length > limit;
  const keys = cursor?.isBack ? found.slice(hasMore ? 1 : 0) : found.slice(0, limit);
  const total = known ?? (await from.count(where, max));
  const start = cursor?.isBack ? (hasMore ? Math.max(cursor.at - keys.length, 1) : 0) : (cursor?.at ?? 0);
  const [first, last] = [keys[0], keys.at(-1)];
  const hasNext = cursor?.isBack ? true : hasMore;
  const hasPrevious = cursor?.isBack ? hasMore : cursor !== undefined;
  const to = (values: Values, at: number, isBack: boolean): string =>
    cursorOf(grid, actor, query, { values, at, total, isBack });
  return {
    rows: await rowsOf(
      grid,
      actor,
      keys.map(({ id }) => id),
    ),
    groups: [],
    ...counted(total),
    start,
    next: hasNext && last ? to(last.values, start + keys.length, false) : undefined,
    previous: hasPrevious && first ? to(first.values, start, true) : undefined,
  };
}

/** The groups of the next level, by their values, the first 200 after the last one. */
async function readGroups<Row>(
  grid: Grid<Row>,
  actor: Actor,
  query: GridQuery,
  { from, where }: { from: GridRows; where: readonly Expression<SqlBool>[] },
): Promise<GridPage<Row>> {
  const key = query.groupBy[query.path.length] ?? '';
  const column = grid.columns[key];
  const [{ by, dir } = { by: grid.id, dir: 'asc' as const }] = orderOf(grid, [
    { by: key, dir: query.orderBy.find((part) => part.by === key)?.dir ?? 'asc' },
  ]);
  const cursor = cursorIn(grid, actor, query, 1);
  const found = await from.run({
    select: [
      ['k0', by],
      ['total', sql`count(*)`],
    ],
    where: cursor ? [...where, isAfter([{ by, dir }], cursor.values)] : where,
    groupBy: by,
    orderBy: [[by, dir]],
    limit: MAX_GROUP_ROWS + 1,
  });
  const values = found.slice(0, MAX_GROUP_ROWS).map((row) => ({ ...row, value: scalarOf(row['k0']) }));
  const texts = await column?.groupTexts?.(
    actor,
    values.map(({ value }) => String(value)),
  );
  const groups = values.map(
    ({ value, ...row }: { value: string | number } & Record<string, unknown>): Group => {
      return {
        key: value === BEFORE_ALL ? null : value,
        text: texts?.get(String(value)),
        count: Number(row['total']),
      };
    },
  );
  const max = MAX_COUNTED + 1;
  const inGroups = groups.reduce((sum, { count }) => sum + count, 0);
  // counting would read every row a second time
  const isAll = cursor === undefined && found.length <= MAX_GROUP_ROWS;
  const total = isAll ? Math.min(inGroups, max) : (cursor?.total ?? (await from.count(where, max)));
  const at = cursor?.at ?? 0;
  const last = groups.at(-1);
  return {
    rows: [],
    groups,
    ...counted(total),
    start: at,
    next:
      found.length > MAX_GROUP_ROWS && last
        ? cursorOf(grid, actor, query, {
            values: [last.key ?? BEFORE_ALL],
            at: at + groups.length,
            total,
            isBack: false,
          })
        : undefined,
    previous: undefined,
  };
}

const cursorSchema = z.strictObject({
  /** The values of the last row (or the first, for the way back), and what was counted on the first page. */
  values: z.array(z.union([z.string(), z.number()])).readonly(),
  at: z.number(),
  total: z.number(),
  isBack: z.boolean(),
});
type Cursor = z.infer<typeof cursorSchema>;

/** A cursor is encrypted: its values may be names, and it is valid for this grid, person, order and filter alone. */
const cursorOf = (grid: GridCore, actor: Actor, query: GridQuery, cursor: Cursor): string =>
  encrypt(JSON.stringify(cursor), cursorPlace(grid, actor, query));

const cursorPlace = ({ name }: GridCore, { contactId }: Actor, query: GridQuery): string =>
  `grids.after:${name}/${contactId}/${JSON.stringify({ ...query, after: undefined })}`;

function cursorIn(grid: GridCore, actor: Actor, query: GridQuery, length: number): Cursor | undefined {
  if (query.after === undefined) return undefined;
  try {
    const cursor = cursorSchema.parse(JSON.parse(decrypt(query.after, cursorPlace(grid, actor, query))));
    if (cursor.values.length === length) return cursor;
  } catch {
    // changed, of another person, or made before a key was retired
  }
  throw new PortalError('INVALID');
}
