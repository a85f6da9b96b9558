import { sql } from 'kysely';
import { changeKeys, keyIds, sealedBy } from './crypto.server.ts';
import { db } from './database.server.ts';
import { SEALED, sealFor, unsealFrom, type SealedColumn } from './sealed.server.ts';

const COLUMNS = Object.keys(SEALED) as SealedColumn[];
const PAGE = 500;
/** A running portal looks at its key file every two seconds. */
const UNTIL_NOTICED = 3000;

/**
 * Puts a new master key in force while the portal runs: adds it, waits until every process seals with it, seals anew what the old ones
 * sealed, and then gives those up. Broken off in the middle, everything still opens, and the next run goes on. Answers how many values.
 */
export async function rotateKeys(): Promise<{ sealed: number; given: string[] }> {
  changeKeys(keyIds(), true);
  const [newest = '', ...old] = keyIds();
  await new Promise((resolve) => setTimeout(resolve, UNTIL_NOTICED));
  let sealed = 0;
  // Twice: what was under way when the key changed was written with the old one.
  for (const column of [...COLUMNS, ...COLUMNS]) sealed += await sealAnew(column, newest);
  changeKeys([newest], false);
  return { sealed, given: old };
}

async function sealAnew(column: SealedColumn, newest: string): Promise<number> {
  const [table = '', name = ''] = column.split('.');
  const key = SEALED[column];
  const value = sql.ref(name);
  let count = 0;
  for (;;) {
    const { rows } = await sql<Record<string, string>>`select ${sql.join([...key, name].map((part) => sql.ref(part)))} from ${sql.table(table)}
      where ${value} like '________.%' and ${value} not like ${`${newest}.%`} limit ${PAGE}`.execute(db());
    const stale = rows.filter((row) => keyIds().includes(sealedBy(row[name] ?? '')));
    if (stale.length === 0) return count;
    for (const row of stale) {
      const old = row[name] ?? '';
      const id = key.map((part) => row[part]).join('/');
      const where = sql.join(key.map((part) => sql`${sql.ref(part)} = ${row[part]}`), sql` and `);
      // Whoever changed it meanwhile has sealed it with the new key.
      await sql`update ${sql.table(table)} set ${value} = ${sealFor(column, id, unsealFrom(column, id, old))} where ${where} and ${value} = ${old}`.execute(db());
    }
    count += stale.length;
  }
}
