import { createHash } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import type { Tables } from './schema.server.ts';
import { allTables } from './tables.server.ts';

type Row = Record<string, string | number | null>;
type AnyDatabase = Kysely<Tables>;

const PAGE = 1000;
/** The target numbers documents anew, and a search keeps those with the highest numbers: the newest. */
const ORDER_OF_DOCUMENTS = ['seq'];

/**
 * Copies all rows into an empty database of the same schema, on any engine, as one consistent snapshot and in
 * one transaction. Returns the number of rows.
 */
export async function copyDatabase(
  from: AnyDatabase,
  to: AnyDatabase,
  fromPostgres: boolean,
): Promise<number> {
  const reading = from.transaction();
  return (fromPostgres ? reading.setIsolationLevel('repeatable read') : reading).execute((source) =>
    to.transaction().execute(async (target) => {
      let copied = 0;
      await sql`delete from settings`.execute(target); // the new database has generated secrets of its own
      for (const table of allTables()) {
        const key = table.name === 'documents' ? ORDER_OF_DOCUMENTS : table.key;
        for await (const rows of pagesOf(source, { name: table.name, key })) {
          const values = rows.map((row) => insertable(table.name, row));
          await target
            .insertInto(table.name)
            .values(values as never)
            .execute();
          copied += rows.length;
        }
      }
      await setParents(source, target);
      return copied;
    }),
  );
}

/**
 * A row without the columns that the target fills in (numbers and counts of documents and comments), and a
 * folder without its parent, which may be copied later.
 */
function insertable(table: keyof Tables, row: Row): Row {
  const { seq: _, comments_count: __, ...document } = row;
  if (table === 'documents') return document;
  return table === 'containers' ? { ...row, parent_id: null, document_count: 0 } : row;
}

async function setParents(source: AnyDatabase, target: AnyDatabase): Promise<void> {
  for await (const rows of pagesOf(source, { name: 'containers', key: ['container_id'] })) {
    for (const row of rows) {
      if (row['parent_id'] !== null)
        await sql`update containers set parent_id = ${row['parent_id']} where container_id = ${row['container_id']}`.execute(
          target,
        );
    }
  }
}

/** An engine-independent digest of each table, to compare a copy with its source. */
export async function digestsOf(database: AnyDatabase): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const table of allTables()) {
    const { name } = table;
    const digest = createHash('sha256');
    for await (const rows of pagesOf(database, table)) {
      for (const row of rows)
        digest.update(
          JSON.stringify(
            Object.entries(insertable(name, row))
              .concat(
                name === 'containers'
                  ? [
                      ['parent', row['parent_id'] ?? null],
                      ['count', row['document_count'] ?? null],
                    ]
                  : name === 'documents'
                    ? [['comments', row['comments_count'] ?? null]]
                    : [],
              )
              .toSorted(([a], [b]) => (a < b ? -1 : 1)),
          ),
        );
    }
    digests[name] = digest.digest('hex');
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
