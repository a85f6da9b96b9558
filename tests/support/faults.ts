import { sql } from 'kysely';
import { config } from '#platform/runtime/config.server.ts';
import { db } from '#platform/database/database.server.ts';

/**
 * Makes inserts into a table fail with "the disk is full" once it has `rows` rows. Returns a function to undo
 * this.
 */
export async function failInserts(table: string, rows: number): Promise<() => Promise<void>> {
  return config.databaseUrl === undefined ? failOnSqlite(table, rows) : failOnPostgres(table, rows);
}

async function failOnSqlite(table: string, rows: number): Promise<() => Promise<void>> {
  await sql`create trigger fault before insert on ${sql.table(table)} when (select count(*) from ${sql.table(table)}) >= ${sql.lit(rows)} begin select raise(abort, 'the disk is full'); end`.execute(
    db(),
  );
  return async () => void (await sql`drop trigger fault`.execute(db()));
}

async function failOnPostgres(table: string, rows: number): Promise<() => Promise<void>> {
  const body = `begin if (select count(*) from ${table}) >= ${rows} then raise exception 'the disk is full'; end if; return new; end`;
  await sql`create function fault() returns trigger language plpgsql as ${sql.lit(body)}`.execute(db());
  await sql`create trigger fault before insert on ${sql.table(table)} for each row execute function fault()`.execute(
    db(),
  );
  return async () => void (await sql`drop function fault() cascade`.execute(db()));
}
