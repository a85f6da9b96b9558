import { AsyncLocalStorage } from 'node:async_hooks';
import path from 'node:path';
import { sql, type Kysely, type Transaction } from 'kysely';
import { Migrator } from 'kysely/migration';
import { config } from './config.server.ts';
import { migrations } from './migrations.server.ts';
import { openSqlite } from './sqlite.server.ts';
import type { Tables } from './schema.server.ts';
import { ConfigurationError } from './startup.server.ts';

/*
 * The only file that knows which engine runs (data.md section 12). SQLite: one process, WAL with synchronous=FULL, so that what was
 * acknowledged is there after a power cut. PostgreSQL: no named statements, 64-bit integers as numbers.
 */

const postgres = config.databaseUrl !== undefined;
const database: Kysely<Tables> = config.databaseUrl === undefined ? openSqlite(path.join(config.dataDir, 'portal.db')) : (await import('./postgres.server.ts')).openPostgres(config.databaseUrl);
const transactions = new AsyncLocalStorage<Transaction<Tables>>();

/** The open transaction of this call, else the database. */
export const db = (): Kysely<Tables> => transactions.getStore() ?? database;

/** Runs `work` in one transaction; joins the one that is open. */
export function inTransaction<T>(work: () => Promise<T>): Promise<T> {
  return transactions.getStore() ? work() : database.transaction().execute((transaction) => transactions.run(transaction, work));
}

/** Runs `work` as its own, not as part of the transaction that it was called in: for what goes on after the call has ended. */
export const outsideTransaction = <T>(work: () => T): T => transactions.exit(work);

/** Brings the schema up to date; all of a migration happens or nothing of it. */
export async function migrate(): Promise<void> {
  const all = migrations(postgres);
  const { error } = await new Migrator({ db: database, provider: { getMigrations: () => Promise.resolve(all) } }).migrateToLatest();
  if (error) throw (await isNewer(Object.keys(all))) ?? error;
}

/** The refusal of a database that a newer version has changed: this one does not know what it would break. */
async function isNewer(known: string[]): Promise<ConfigurationError | undefined> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(database);
  const unknown = rows.find(({ name }) => !known.includes(name));
  return unknown && new ConfigurationError(`The database has been through ${unknown.name}, which this version of the portal does not know: a newer version has used it. Start that version again, or restore the backup that was made before it.`);
}

/** Answers when the database answers. */
export async function ping(): Promise<void> {
  await sql`select 1`.execute(database);
}

/** What the engine itself finds wrong with what it stored, in its own words; nothing when all is well. PostgreSQL has no such question. */
export async function integrityFaults(): Promise<string[]> {
  if (postgres) return [];
  const pages = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(database);
  const references = await sql<{ table: string }>`pragma foreign_key_check`.execute(database);
  return [...pages.rows.map((row) => row.integrity_check).filter((text) => text !== 'ok'), ...references.rows.map((row) => `a row of ${row.table} names another that is not there`)];
}

export const closeDatabase = (): Promise<void> => database.destroy();

/** True when `error` says that a unique index refused the row. */
export function isUniqueViolation(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('code' in error && error.code === '23505') return true;
  return 'errcode' in error && (error.errcode === 2067 || error.errcode === 1555);
}

/** How `*_key` columns fold: compatible forms as one, no case. */
export const fold = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC');
