import { createHash } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import type { Tables } from './schema.server.ts';
import { allTables, type Table } from './tables.server.ts';

type Row = Record<string, string | number | null>;
type AnyDatabase = Kysely<Tables>;

/** A database and its engine. */
export interface CopySide {
  database: AnyDatabase;
  isPostgres: boolean;
}

/** What {@link copyDatabase} copied: the number of rows, and a digest of each table ({@link digestsOf}). */
export interface CopyResult {
  rows: number;
  digests: Record<string, string>;
}

/** A copy that was given up: nothing of it was written. */
class CopyError extends Error {
  override name = 'CopyError';
}

const PAGE = 1000;

/**
 * Copies all rows into an empty database of the same schema, on any engine, as one consistent snapshot and in
 * one transaction, and compares the two before it commits. Throws a {@link CopyError} that names the table that the
 * target refused or stored differently.
 */
export async function copyDatabase(from: CopySide, to: CopySide): Promise<CopyResult> {
  const reading = from.database.transaction();
  return (from.isPostgres ? reading.setIsolationLevel('repeatable read') : reading).execute((source) =>
    to.database.transaction().execute(async (target) => {
      let rows = 0;
      await sql`delete from settings`.execute(target); // the new database has generated secrets of its own
      const { tables, laterColumns } = copyOrder(allTables(), await foreignKeys({ ...to, database: target }));
      for (const table of tables)
        rows += await copyTable({ source, target }, table, laterColumns.get(table.name));
      for (const table of tables)
        for (const column of laterColumns.get(table.name) ?? [])
          await copyColumn({ source, target }, table, column);
      const [digests, copied] = [await digestsOf(source), await digestsOf(target)];
      const different = Object.keys(digests).filter((name) => digests[name] !== copied[name]);
      if (different.length > 0)
        throw new CopyError(`The copy differs from the original in: ${different.join(', ')}.`);
      return { rows, digests };
    }),
  );
}

interface Databases {
  source: AnyDatabase;
  target: AnyDatabase;
}

async function copyTable(
  { source, target }: Databases,
  table: Table,
  laterColumns: readonly string[] = [],
): Promise<number> {
  const key = table.inOrderOf === undefined ? table.key : [table.inOrderOf];
  const later = Object.fromEntries(laterColumns.map((column) => [column, null]));
  let copied = 0;
  for await (const rows of pagesOf(source, { name: table.name, key })) {
    const values = rows.map((row) => ({ ...withoutMaintained(table, row), ...later }));
    await target
      .insertInto(table.name)
      .values(values as never)
      .execute()
      .catch((error: unknown) => {
        throw new CopyError(
          `The table ${table.name} cannot be copied: ${error instanceof Error ? error.message : String(error)}`,
          { cause: error },
        );
      });
    copied += rows.length;
  }
  return copied;
}

/** Sets a column that references rows which were copied after its own. */
async function copyColumn({ source, target }: Databases, table: Table, column: string): Promise<void> {
  for await (const rows of pagesOf(source, table)) {
    for (const row of rows) {
      if (row[column] === null) continue;
      const ofRow = sql.join(
        table.key.map((part) => sql`${sql.ref(part)} = ${row[part]}`),
        sql` and `,
      );
      await sql`update ${sql.table(table.name)} set ${sql.ref(column)} = ${row[column]} where ${ofRow}`.execute(
        target,
      );
    }
  }
}

/** A row without the columns that the target fills in itself. */
const withoutMaintained = ({ maintained = [] }: Table, row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !maintained.includes(column)));

export interface ForeignKey {
  table: string;
  column: string;
  references: string;
}

/** The foreign keys that a database declares. */
export async function foreignKeys({ database, isPostgres }: CopySide): Promise<ForeignKey[]> {
  const query = isPostgres
    ? sql<ForeignKey>`select source.relname as "table", attname as "column", target.relname as "references"
        from pg_constraint
        join pg_class as source on source.oid = conrelid
        join pg_class as target on target.oid = confrelid
        join pg_attribute on attrelid = conrelid and attnum = any (conkey)
        where contype = 'f' and pg_table_is_visible(conrelid)
        order by 1, 2, 3`
    : sql<ForeignKey>`select tables.name as "table", keys."from" as "column", keys."table" as "references"
        from sqlite_schema as tables, pragma_foreign_key_list(tables.name) as keys
        where tables.type = 'table'
        order by 1, 2, 3`;
  return (await query.execute(database)).rows;
}

/** The columns of each table of a database. */
export async function columnNames({ database, isPostgres }: CopySide): Promise<Map<string, string[]>> {
  const query = isPostgres
    ? sql<{ table: string; column: string }>`select table_name as "table", column_name as "column"
        from information_schema.columns where table_schema = current_schema()`
    : sql<{ table: string; column: string }>`select tables.name as "table", columns.name as "column"
        from sqlite_schema as tables, pragma_table_info(tables.name) as columns where tables.type = 'table'`;
  const byTable = Map.groupBy((await query.execute(database)).rows, ({ table }) => table);
  return new Map([...byTable].map(([table, rows]) => [table, rows.map(({ column }) => column)]));
}

/**
 * The tables in an order in which each comes after those that its foreign keys reference. Triggers that complete an
 * inserted row read only these. `laterColumns` reference the table itself, or close a circle: they can be set once all
 * rows are there.
 */
export function copyOrder<T extends { name: string }>(
  all: readonly T[],
  keys: readonly ForeignKey[],
): { tables: T[]; laterColumns: Map<string, string[]> } {
  const byName = new Map(all.map((table) => [table.name, table]));
  const keysByTable = Map.groupBy(keys, ({ table }) => table);
  const [started, tables] = [new Set<string>(), new Set<T>()];
  const laterColumns = new Map<string, string[]>();
  const visit = (table: T): void => {
    started.add(table.name);
    for (const { column, references } of keysByTable.get(table.name) ?? []) {
      const referenced = byName.get(references);
      if (!referenced || tables.has(referenced)) continue;
      if (started.has(references))
        laterColumns.set(table.name, [...(laterColumns.get(table.name) ?? []), column]);
      else visit(referenced);
    }
    tables.add(table);
  };
  for (const table of all) if (!started.has(table.name)) visit(table);
  return { tables: [...tables], laterColumns };
}

/** An engine-independent digest of each table without what a database maintains itself, to compare a copy with its source. */
export async function digestsOf(database: AnyDatabase): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const table of allTables()) {
    const digest = createHash('sha256');
    for await (const rows of pagesOf(database, table))
      for (const row of rows)
        digest.update(
          JSON.stringify(
            Object.entries(withoutMaintained(table, row)).toSorted(([a], [b]) => (a < b ? -1 : 1)),
          ),
        );
    digests[table.name] = digest.digest('hex');
  }
  return digests;
}

/** Reads all rows of a table in key order, a thousand at a time. Each page is as of when it is read. */
export async function* pagesOf(
  source: AnyDatabase,
  { name, key }: { name: keyof Tables; key: readonly string[] },
): AsyncGenerator<Row[], void> {
  const names = sql.join(key.map((column) => sql.ref(column)));
  let last: Row | undefined;
  do {
    const after: Row | undefined = last;
    const beyond = after
      ? sql`where (${names}) > (${sql.join(key.map((column) => after[column] ?? null))})`
      : sql``;
    const { rows } =
      await sql<Row>`select * from ${sql.table(name)} ${beyond} order by ${names} limit ${PAGE}`.execute(
        source,
      );
    if (rows.length > 0) yield rows;
    last = rows.length < PAGE ? undefined : rows.at(-1);
  } while (last);
}
