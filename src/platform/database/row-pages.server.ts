import { sql, type SelectQueryBuilder, type SqlBool } from 'kysely';

/** Limits a query to one page; to be given to its `$call`. */
type Page = <Database, Table extends keyof Database, Row>(
  query: SelectQueryBuilder<Database, Table, Row>,
) => SelectQueryBuilder<Database, Table, Row>;

const PAGE = 1000;

/**
 * Reads rows of any number with the memory of a page, in the order of columns that together are unique, such as
 * `['comments.created_at', 'comments.comment_id']`. The rows must contain them, by their names without the table. Large
 * ones are read with a smaller `size`.
 */
export async function* rowPages<Row extends object>(
  columns: readonly string[],
  load: (page: Page) => Promise<Row[]>,
  { size = PAGE } = {},
): AsyncGenerator<Row[], void> {
  const key = sql.join(columns.map((column) => sql.ref(column)));
  const names = columns.map((column) => column.split('.').at(-1) ?? column);
  for (let after = sql<SqlBool>`1 = 1`; ;) {
    const rows = await load((query) => query.where(after).orderBy(key).limit(size));
    const last = rows.at(-1) as Readonly<Record<string, unknown>> | undefined;
    if (rows.length > 0) yield rows;
    if (!last || rows.length < size) return;
    after = sql<SqlBool>`(${key}) > (${sql.join(names.map((name) => last[name]))})`;
  }
}

/** Presents each row of pages. */
export async function* eachRow<Row, Shown>(
  pages: AsyncIterable<readonly Row[]>,
  present: (row: Row) => Shown,
): AsyncGenerator<Awaited<Shown>, void> {
  for await (const rows of pages) for (const row of rows) yield await present(row);
}
