import type { Expression, SelectQueryBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Actor } from '#features/base/people/people.ts';
import type { AuditAction } from '#platform/security/audit-actions.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { Field } from '#platform/forms/forms.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import type { T } from '#platform/text/messages.ts';
import { translate } from '#platform/text/texts.server.ts';
import type { Text } from '#platform/text/texts.ts';
import type { KeysOf, Namespace } from '#platform/text/translations.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { filterSchema, type ColumnType } from './filters.server.ts';
import {
  gridFilter,
  groupPath,
  MAX_GROUPED,
  type Cell,
  type FilterItem,
  type GridQuery,
  type GridRow,
} from './grids.ts';

/** As many columns can sort at once. */
const MAX_SORTED = 4;

/*
 * A grid is defined once, on the server: its columns with their SQL, and the rows that an actor may see. From that come
 * the address of its page, its call, sorting, filtering, grouping, paging and exports (docs/decisions/0052).
 */

/** Where a cell is rendered: in a page, or in an export, which has no links. */
export interface CellContext<K extends string> {
  lang: Lang;
  t: T<K>;
  pathTo: PathTo;
}

/** A label is a text of the grid's namespace, or a text of a feature that contributes it. */
type Options<K> = readonly (readonly [value: string, label: K | Text])[];

/** The text of a label. */
export const labelText = <K extends string>(
  label: K | Text,
  { lang, t }: Pick<CellContext<K>, 'lang' | 't'>,
): string => (typeof label === 'string' ? t(label) : translate(lang, label));

interface GridColumn<Row, K extends string> {
  label: K;
  type: ColumnType;
  /**
   * Its SQL: a column or an expression of the grid's tables, for text the folded one (`*_key`). A column without it is
   * only shown. Sorting by it should be served by an index that begins with the scope.
   */
  sql?: Expression<unknown>;
  /** What sorts in its place, where that is the same order and has an index. */
  sortSql?: Expression<unknown>;
  /** True if the SQL may be null: blank cells come first. */
  isNullable?: true;
  isSortable?: false;
  isFilterable?: false;
  isGroupable?: true;
  /**
   * The texts of groups by their keys, for a column whose SQL is not what people read. They sort groups that all fit on a
   * page, as the labels of a choice do.
   */
  groupTexts?: (actor: Actor, keys: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** The texts of the values of a choice, for its groups. */
  options?: Options<K> | (() => Options<K>);
  cell: (row: Row, context: CellContext<K>) => Cell | string | undefined;
  /** The header of the row: exactly one column. It cannot be hidden. */
  isRowHeader?: true;
  /** Hidden until someone shows it. */
  isHidden?: true;
  textStyle?: 'meta' | 'person' | 'phrase';
  /** Moments with their date and time; others are short ones, as lists show them. */
  isExactTime?: true;
  /** Its cells are states with the texts of its options, and a note as long as this one. */
  chip?: { note?: string };
  /** As in a column of a table. */
  isShort?: true;
  isLabelled?: true;
  isMinor?: true;
}

/**
 * A field of the filter form, by its name in the address: a column and an operator, a condition of its own, or one that
 * `from` already has.
 */
export type GridField<K extends string> = Exclude<
  Field<K>,
  { kind: 'group' | 'hidden' | 'file' | 'password' }
> &
  (
    | { by: string; op: FilterItem['op'] }
    | { where: (actor: Actor, value: string) => Promise<Expression<SqlBool>> | Expression<SqlBool> }
    | { isInFrom: true }
  );

/** The parts of a statement on the rows that an actor may see. */
interface Statement {
  select: readonly [name: string, expression: Expression<unknown>][];
  where: readonly Expression<SqlBool>[];
  groupBy?: Expression<unknown>;
  orderBy?: readonly [Expression<unknown>, 'asc' | 'desc'][];
  limit?: number;
}

/** Rows of a search, which says how to count them. */
export interface FoundRows<Query> {
  rows: Query;
  /** True if few rows are looked up and sorted: they are counted by the statement that reads the first page. */
  areFew: boolean;
  /** Some of the rows, found soon. If they are as many as are counted, the others are not looked for. */
  some: readonly Query[];
  /** Of rows of some clients: how they are counted unless few rows of the firm match. */
  counted?: { ofFirm: Query; byClient: Query } | undefined;
}

/** So many rows of the firm are walked through to count those of some clients. */
const MAX_WALKED = 1000;

export interface GridDefinition<Row, N extends Namespace, K extends string, DB, TB extends keyof DB> {
  /** Its name in stored settings and in the audit log. */
  name: string;
  namespace: N;
  /** Its call, `/api/…/grids/<name>`, which the feature declares (`gridApi`). */
  path: string;
  caption: K;
  /** The button of the filter form. */
  submit: K;
  /** The texts for no row at all, and for none that matches. */
  empty: K;
  noMatch: K;
  /**
   * The rows that the actor may see; throws FORBIDDEN for those who may see none. A query that an index of its own serves
   * may begin with that one (`isInFrom`).
   */
  from: (
    actor: Actor,
    query: Omit<GridQuery, 'after'>,
  ) =>
    | SelectQueryBuilder<DB, TB, object>
    | Promise<SelectQueryBuilder<DB, TB, object> | FoundRows<SelectQueryBuilder<DB, TB, object>>>;
  /** The rows are those of the active client, whom `from` gets; without one, of all clients of the actor. */
  isOfClient?: true;
  /** The SQL of the id, which is unique and ends every order. */
  id: Expression<unknown>;
  columns: Record<string, GridColumn<Row, K>>;
  /** The usual order; always one of the columns. */
  orderBy: readonly { by: string; dir: 'asc' | 'desc' }[];
  /** The condition of the search box: by default that one of these columns contains the text. */
  search:
    | { label: K; in: readonly string[] }
    | { label: K; where: (actor: Actor, term: string) => Promise<Expression<SqlBool>> }
    | { label: K; isInFrom: true }
    | undefined;
  fields?: Record<string, GridField<K>>;
  /** Loads the rows with these ids, in any order. */
  rows: (actor: Actor, ids: readonly (string | number)[]) => Promise<readonly Row[]>;
  idOf: (row: Row) => string | number;
  nameOf: (row: Row, context: Pick<CellContext<K>, 'lang'>) => string;
  actions?: (row: Row, actor: Actor, context: CellContext<K>) => GridRow['actions'];
  isNew?: (row: Row) => boolean;
  /** The audit action of an export, where it has one of its own. */
  exportAction?: AuditAction;
}

/** What is summed, and by what the sums are told apart. */
export interface Summed {
  by: Expression<string>;
  value: Expression<number>;
}

export interface SumOfPart {
  part: string;
  count: number;
  total: number;
}

/** The rows that an actor may see. */
export interface GridRows {
  /** Runs a statement on them. */
  run: (statement: Statement) => Promise<Record<string, unknown>[]>;
  /** Counts them, at most `max`. */
  count: (where: Statement['where'], max: number) => Promise<number>;
  /** Counts at most `max` of them and sums a value of each, in parts. */
  sums: (where: Statement['where'], of: Summed, max: number) => Promise<SumOfPart[]>;
  /**
   * Runs a statement that selects what orders them, and counts them all by it, if few are looked up and sorted anyway.
   */
  runCounting?: (
    statement: Statement & { limit: number },
  ) => Promise<{ rows: Record<string, unknown>[]; total: number }>;
}

export type Grid<Row = unknown, N extends Namespace = Namespace, K extends string = string> = Omit<
  GridDefinition<Row, N, K, never, never>,
  'from'
> & {
  /** The rows of `from`. */
  open: (actor: Actor, query: Omit<GridQuery, 'after'>) => Promise<GridRows>;
  /** The parameters of its page and of its call. */
  parameters: ReturnType<typeof parametersOf>;
};

/** A grid without its rows, for what needs none. */
export type GridCore<N extends Namespace = Namespace, K extends string = string> = Omit<
  Grid<never, N, K>,
  'rows'
>;

/** Defines a grid. `Row` is what `rows` loads. */
export const defineGrid = <Row, N extends Namespace, DB, TB extends keyof DB>({
  from,
  ...definition
}: GridDefinition<Row, N, KeysOf<N>, DB, TB>): Grid<Row, N, KeysOf<N>> => ({
  ...definition,
  parameters: parametersOf(definition.columns, definition.fields ?? {}),
  open: async (actor, sought) => {
    const found = await from(actor, sought);
    const { rows, areFew, some, counted } =
      'rows' in found ? found : { rows: found, areFew: false, some: [], counted: undefined };
    const selected = ({ select, where, groupBy }: Statement) => {
      let query = rows.select(() => select.map(([name, each]) => sql`${each}`.as(name)));
      for (const condition of where) query = query.where(condition);
      return groupBy ? query.groupBy(sql`${groupBy}`) : query;
    };
    const countOf = async (query: typeof rows, where: Statement['where'], max: number) => {
      let counted = query.select(sql<number>`1`.as('one'));
      for (const condition of where) counted = counted.where(condition);
      const { rows: totals } = await sql<{
        total: number;
      }>`select count(*) as total from (${counted.limit(max)}) as counted`.execute(db());
      return Number(totals[0]?.total ?? 0);
    };
    return {
      count: async (where, max) => {
        for (const query of some) if ((await countOf(query, where, max)) === max) return max;
        const areMany = counted && (await countOf(counted.ofFirm, where, MAX_WALKED + 1)) > MAX_WALKED;
        return countOf(areMany ? counted.byClient : rows, where, max);
      },
      sums: async (where, { by, value }, max) => {
        const values = selected({
          select: [
            ['part', by],
            ['value', value],
          ],
          where,
        }).limit(max);
        const { rows: sums } = await sql<{ part: string; count: number; total: number }>`
          select part, count(*) as count, sum(value) as total from (${values}) as summed group by part order by part`.execute(
          db(),
        );
        return sums.map(({ part, count, total }) => ({ part, count: Number(count), total: Number(total) }));
      },
      run: async ({ orderBy = [], limit, ...statement }) => {
        let query = selected(statement);
        for (const [by, dir] of orderBy) query = query.orderBy(sql`${by}`, dir);
        if (limit !== undefined) query = query.limit(limit);
        return query.execute();
      },
      ...(areFew && {
        runCounting: async ({ orderBy = [], limit, ...statement }) => {
          const order = orderBy.map(
            ([, dir], index) =>
              sql`${sql.ref(statement.select[index]?.[0] ?? '')} ${dir === 'asc' ? sql`asc` : sql`desc`}`,
          );
          const { rows: counted } = await sql<
            Record<string, unknown>
          >`select * from (with found as materialized ${selected(statement)}
            select found.*, (select count(*) from found) as total from found order by ${sql.join(order)} limit ${limit}) as counted`.execute(
            db(),
          );
          return { rows: counted, total: Number(counted[0]?.['total'] ?? 0) };
        },
      }),
    };
  },
});

type Columns = Record<
  string,
  Pick<GridColumn<never, never>, 'type' | 'sql' | 'isSortable' | 'isFilterable' | 'isGroupable'>
>;

export const isSortable = ({ sql: by, isSortable: may }: Columns[string]): boolean =>
  by !== undefined && may !== false;
export const isFilterable = ({ sql: by, isFilterable: may }: Columns[string]): boolean =>
  by !== undefined && may !== false;
export const isGroupable = ({ sql: by, isGroupable: may }: Columns[string]): boolean =>
  by !== undefined && may === true;

const MAX_PARAMETER = 20_000;

/** The parameters of a grid: all are texts, as an address has them. */
function parametersOf(columns: Columns, fields: Readonly<Record<string, GridField<string>>>) {
  const of = (test: (column: Columns[string]) => boolean): string[] =>
    Object.entries(columns).flatMap(([key, column]) => (test(column) ? [key] : []));
  const filterable = Object.fromEntries(Object.entries(columns).filter(([, column]) => isFilterable(column)));
  const text = z
    .string()
    .max(200)
    .regex(/^[^\0]*$/)
    .default('');
  const day = z.iso.date().or(z.literal('')).default('');
  const number = text.refine((value) => Number.isFinite(Number(value)));
  return z.strictObject({
    searchTerm: text,
    /** Columns in their order, `name,-createdAt` where the last is descending. */
    sort: list(of(isSortable), MAX_SORTED, /^-/),
    /** The columns by which the rows are grouped. */
    group: list(of(isGroupable), MAX_GROUPED),
    /** The opened groups, as JSON. */
    path: json(groupPath),
    /** The filter, as JSON. */
    filter: json(filterSchema(filterable)),
    /** The position in the list, from `next` or `previous` of another page. */
    after: z.string().max(MAX_PARAMETER).default(''),
    ...Object.fromEntries(
      Object.entries(fields).map(([name, field]) => {
        const type = 'by' in field ? columns[field.by]?.type : undefined;
        const isDay = field.kind === 'date' || type === 'time';
        return [name, isDay ? day : type === 'number' ? number : text] as const;
      }),
    ),
  });
}

const list = (keys: readonly string[], max: number, sign = /^$/) =>
  z
    .string()
    .max(400)
    .default('')
    .refine((text) => {
      const all = namesIn(text).map((key) => key.replace(sign, ''));
      return all.length <= max && all.every((key) => keys.includes(key)) && new Set(all).size === all.length;
    });

const json = (schema: z.ZodType) =>
  z
    .string()
    .max(MAX_PARAMETER)
    .default('')
    .refine((text) => text === '' || schema.safeParse(jsonOf(text)).success);

const namesIn = (text: string): string[] => text.split(',').filter(Boolean);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // which no schema accepts
  }
}

export type GridParameters = z.output<GridCore['parameters']>;

/** The query of valid parameters. A path that is longer than the grouped columns is cut. */
export function gridQueryOf(
  { fields = {}, isOfClient }: Pick<GridCore, 'fields' | 'isOfClient'>,
  parameters: GridParameters,
  client?: string,
): GridQuery {
  const { searchTerm, sort, group, path, filter, after } = parameters;
  const values: Readonly<Record<string, unknown>> = parameters;
  const groupBy = namesIn(group);
  return {
    searchTerm: searchTerm.trim(),
    fields: Object.fromEntries(Object.keys(fields).map((name) => [name, String(values[name] ?? '').trim()])),
    filter: filter === '' ? undefined : gridFilter.parse(jsonOf(filter)),
    orderBy: namesIn(sort).map((key) => ({
      by: key.replace(/^-/, ''),
      dir: key.startsWith('-') ? 'desc' : 'asc',
    })),
    groupBy,
    path: path === '' ? [] : groupPath.parse(jsonOf(path)).slice(0, groupBy.length),
    after: after === '' ? undefined : after,
    ...(isOfClient && { client }),
  };
}
