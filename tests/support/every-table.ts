import { sql, type Kysely } from 'kysely';
import { copyOrder, foreignKeys, type CopySide } from '#platform/database/copy.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import type { EncryptedColumn, Tables } from '#platform/database/schema.server.ts';
import { allTables, type Table } from '#platform/database/tables.server.ts';

type Value = string | number | null;
type Row = Record<string, Value>;

const ROWS = 3;

/**
 * Adds rows to every table that has none, from the catalogue of the database alone: a new table is filled too. Rows
 * belong to the same rows of the tables that they reference, encrypted columns can be decrypted, and references within
 * a table point to rows before and after. Returns the names of the tables it filled.
 */
export async function fillEmptyTables(side: CopySide): Promise<string[]> {
  const { database } = side;
  const keys = await foreignKeys(side);
  const { tables, laterColumns } = copyOrder(allTables(), keys);
  const columns = new Map(
    (await database.introspection.getTables()).map(({ name, columns }) => [name as string, columns]),
  );
  const filled: string[] = [];
  for (const table of tables) {
    if ((await rowsOf(database, table)).length > 0) continue;
    const parents = new Map<string, Value[]>();
    for (const { column, references } of keys.filter((key) => key.table === table.name)) {
      const parent = tables.find(({ name }) => name === references);
      if (parent && parent !== table)
        parents.set(
          column,
          (await rowsOf(database, parent)).map((row) => row[parent.key[0] ?? ''] ?? null),
        );
    }
    const later = laterColumns.get(table.name) ?? [];
    const rows = Array.from({ length: ROWS }, (_, index): Row => {
      const row: Row = {};
      for (const { name, dataType } of columns.get(table.name) ?? []) {
        if (table.maintained?.includes(name)) continue;
        const values = parents.get(name);
        if (later.includes(name)) row[name] = null;
        else if (values) row[name] = values[index % values.length] ?? null;
        else row[name] = valueOf(table.name, name, { dataType, index });
      }
      for (const column of Object.keys(table.encrypted ?? {}))
        row[column] = encryptFor(
          `${table.name}.${column}` as EncryptedColumn,
          table.key.map((part) => row[part]).join('/'),
          `secret ${index}`,
        );
      return row;
    });
    await database
      .insertInto(table.name)
      .values(rows as never)
      .onConflict((conflict) => conflict.doNothing()) // of those that belong to the same row
      .execute();
    for (const column of later) await linkRows(database, table, column);
    filled.push(table.name);
  }
  return filled;
}

/** Lets the first row of a table reference the last one, and the last but one the first. */
export async function linkRows(database: Kysely<Tables>, table: Table, column: string): Promise<void> {
  const id = table.key[0] ?? '';
  const ids = (await rowsOf(database, table)).map((row) => row[id] ?? null);
  for (const [from, to] of [
    [ids.at(0), ids.at(-1)],
    [ids.at(-2), ids.at(0)],
  ])
    await sql`update ${sql.table(table.name)} set ${sql.ref(column)} = ${to} where ${sql.ref(id)} = ${from}`.execute(
      database,
    );
}

const rowsOf = async (database: Kysely<Tables>, table: Table): Promise<Row[]> =>
  (
    await sql<Row>`select * from ${sql.table(table.name)} order by ${sql.join(table.key.map((part) => sql.ref(part)))} limit ${ROWS}`.execute(
      database,
    )
  ).rows;

/** Text that engines are known to treat differently, and numbers that each of their types holds. */
function valueOf(
  table: string,
  column: string,
  { dataType, index }: { dataType: string; index: number },
): Value {
  if (/bool|small/i.test(dataType)) return index % 2;
  if (/int|real|double|numeric/i.test(dataType)) return 1000 + index;
  return `${table}.${column} ${index} é\u{1f469}\u200d\u{1f4bc}%_\\`;
}
