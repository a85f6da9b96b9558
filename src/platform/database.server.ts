import { AsyncLocalStorage } from 'node:async_hooks';
import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely';
import { Migrator } from 'kysely/migration';
import { MINUTE, SECOND } from './clock.server.ts';
import { config } from './config.server.ts';
import { copyDatabase, digestsOf } from './copy.server.ts';
import { PortalError, refusal } from './errors.server.ts';
import { migrations } from './migrations.server.ts';
import { databaseFile, openSqlite, snapshotSqlite } from './sqlite.server.ts';
import type { Tables } from './schema.server.ts';
import { ConfigurationError } from './startup.server.ts';

/*
 * The only file that knows which engine runs (data.md section 12). SQLite: one process, WAL with synchronous=FULL, so that what was
 * acknowledged is there after a power cut. PostgreSQL: no named statements, 64-bit integers as numbers. On both a transaction has the
 * database to itself (docs/decisions/0016), and one that does not answer within five seconds is UNAVAILABLE.
 */

const PATIENCE = 5 * SECOND;
const url = config.databaseUrl;
const engine = url === undefined ? undefined : await import('./postgres.server.ts');
const postgres = engine !== undefined;
let opened: Kysely<Tables> | undefined;

/** Opened at its first use, so that a command may put a file in its place before. */
const database = (): Kysely<Tables> => (opened ??= engine && url !== undefined ? engine.openPostgres(url) : openSqlite(databaseFile(config.dataDir)));
const transactions = new AsyncLocalStorage<Transaction<Tables>>();

/** The open transaction of this call, else the database. */
export const db = (): Kysely<Tables> => transactions.getStore() ?? database();

/**
 * Runs `work` in one transaction, as if nobody else were there; joins the one that is open. On PostgreSQL others are there: when two get
 * in each other's way, or a connection breaks, what was done is undone and the work runs again. So `work` changes nothing outside the database.
 */
export function inTransaction<T>(work: () => Promise<T>): Promise<T> {
  if (transactions.getStore()) return work();
  if (!engine) return database().transaction().execute((transaction) => transactions.run(transaction, work));
  const once = () => database().transaction().setIsolationLevel('serializable').execute((transaction) => transactions.run(transaction, work));
  return untilItHolds(once, engine.wasUndone);
}

async function untilItHolds<T>(once: () => Promise<T>, wasUndone: (error: unknown) => boolean): Promise<T> {
  const late = performance.now() + PATIENCE;
  for (let most = 2; ; most = Math.min(100, most * 2)) {
    try {
      return await once();
    } catch (error) {
      if (!wasUndone(error)) throw error;
      if (performance.now() > late) throw new PortalError('UNAVAILABLE', { retryAfter: 1 });
      await pause(Math.random() * most);
    }
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Runs `work` as its own, not as part of the transaction that it was called in: for what goes on after the call has ended. */
export const outsideTransaction = <T>(work: () => T): T => transactions.exit(work);

/** Brings the schema up to date; all of a migration happens or nothing of it. */
export const migrate = (): Promise<void> => patiently(() => migrateSchema(database(), postgres));

/** Does what a start needs: a database that is starting too, or that another node is filling, is waited for, a minute at most. */
export async function patiently(work: () => Promise<void>): Promise<void> {
  for (const late = performance.now() + MINUTE; ; await pause(0.5 * SECOND)) {
    try {
      return await work();
    } catch (error) {
      if (refusal(error)?.code !== 'UNAVAILABLE' || performance.now() > late) throw error;
    }
  }
}

async function migrateSchema(target: Kysely<Tables>, onPostgres: boolean): Promise<void> {
  const all = migrations(onPostgres);
  const { error } = await new Migrator({ db: target, provider: { getMigrations: () => Promise.resolve(all) } }).migrateToLatest();
  if (error) throw (await isNewer(target, Object.keys(all))) ?? error;
}

/** The refusal of a database that a newer version has changed: this one does not know what it would break. */
async function isNewer(target: Kysely<Tables>, known: string[]): Promise<ConfigurationError | undefined> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(target);
  const unknown = rows.find(({ name }) => !known.includes(name));
  return unknown && new ConfigurationError(`The database has been through ${unknown.name}, which this version of the portal does not know: a newer version has used it. Start that version again, or restore the backup that was made before it.`);
}

/** Writes the database as it is at this moment into a new SQLite file, while the portal goes on. */
export async function snapshotInto(file: string): Promise<void> {
  if (!postgres) return snapshotSqlite(databaseFile(config.dataDir), file);
  const snapshot = openSqlite(file);
  try {
    await migrateSchema(snapshot, false);
    await copyDatabase(database(), snapshot, true);
  } finally {
    await snapshot.destroy();
  }
}

/** Fills this empty database from a SQLite file that {@link snapshotInto} made. */
export async function fillFrom(file: string): Promise<void> {
  const snapshot = openSqlite(file);
  try {
    await migrateSchema(snapshot, false);
    await copyDatabase(snapshot, database(), false);
  } finally {
    await snapshot.destroy();
  }
}

/** Copies everything into an empty PostgreSQL database and compares; answers how many rows, and the tables that are not alike. Nobody can write here meanwhile. */
export async function moveTo(url: string): Promise<{ rows: number; different: string[] }> {
  const target = (await import('./postgres.server.ts')).openPostgres(url);
  try {
    await migrateSchema(target, true);
    const firm = await target.selectFrom('firms').select('company_id').limit(1).executeTakeFirst();
    if (firm) throw new ConfigurationError('The database to move to holds a firm already. If an earlier move came to its end, start the portal with DATABASE_URL set to it; otherwise give an empty database.');
    const rows = await copyDatabase(database(), target, postgres);
    const [before, after] = [await digestsOf(database()), await digestsOf(target)];
    return { rows, different: Object.keys(before).filter((table) => before[table] !== after[table]) };
  } finally {
    await target.destroy();
  }
}

/** The migrations that are not carried out here yet, and those that were carried out and that this version does not know. */
export async function schemaState(): Promise<{ missing: string[]; unknown: string[] }> {
  const known = Object.keys(migrations(postgres));
  const done: string[] = await sql<{ name: string }>`select name from kysely_migration`.execute(database()).then(
    ({ rows }) => rows.map((row) => row.name),
    () => [], // a new database has no such table
  );
  return { missing: known.filter((name) => !done.includes(name)), unknown: done.filter((name) => !known.includes(name)) };
}

/** The database's own clock, in epoch ms. */
export async function databaseClock(): Promise<number> {
  const now = postgres ? sql<{ ms: string }>`select extract(epoch from clock_timestamp()) * 1000 as ms` : sql<{ ms: number }>`select unixepoch('subsec') * 1000 as ms`;
  const { rows } = await now.execute(database());
  return Number(rows[0]?.ms);
}

/** Answers when the database answers. */
export async function ping(): Promise<void> {
  await sql`select 1`.execute(database());
}

/** What the engine itself finds wrong with what it stored, in its own words; nothing when all is well. PostgreSQL has no such question. */
export async function integrityFaults(): Promise<string[]> {
  if (postgres) return [];
  const pages = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(database());
  const references = await sql<{ table: string }>`pragma foreign_key_check`.execute(database());
  return [...pages.rows.map((row) => row.integrity_check).filter((text) => text !== 'ok'), ...references.rows.map((row) => `a row of ${row.table} names another that is not there`)];
}

/** Closes it; a later use opens it again. */
export async function closeDatabase(): Promise<void> {
  const closing = opened;
  opened = undefined;
  await closing?.destroy();
}

/** Ends a select inside an update: rows that another process is taking at this moment are passed over, not waited for. */
export const passingOverTaken = postgres ? sql`for update skip locked` : sql``;

/** Tells all nodes, when the open transaction commits, that there is something to look at. A hint only: it may be lost. */
export async function announce(channel: 'jobs'): Promise<void> {
  if (postgres) await sql`select pg_notify(${channel}, '')`.execute(db());
}

/** Calls `heard` for what other nodes announce; one process alone hears itself without this. Answers the function that ends it. */
export function hear(channel: 'jobs', heard: () => void): () => Promise<void> {
  return engine && url !== undefined ? engine.listenTo(url, channel, heard) : () => Promise.resolve();
}

const MOST_IN_ONE = 500;

/** Rows in pieces that one statement can carry, in their order. */
export const inPieces = <Row>(rows: readonly Row[]): Row[][] => Array.from({ length: Math.ceil(rows.length / MOST_IN_ONE) }, (_, piece) => rows.slice(piece * MOST_IN_ONE, (piece + 1) * MOST_IN_ONE));

/** True when `error` says that a unique index refused the row. */
export function isUniqueViolation(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('code' in error && error.code === '23505') return true;
  return 'errcode' in error && (error.errcode === 2067 || error.errcode === 1555);
}

/**
 * The `seq` of the client's documents in whose names words begin like all of these, the last ones first and not more than `most`; of a
 * deleted document too, and on SQLite perhaps of another client, so whoever asks scopes what comes. Words are letters and digits alone.
 */
export const seqsNamed = (clientId: string, words: readonly string[], most: number): RawBuilder<number> =>
  postgres
    ? sql<number>`select seq from documents where client_id = ${clientId} and words_of(name_key) @@ to_tsquery('simple', ${words.map((word) => `'${word}':*`).join(' & ')}) order by seq desc limit ${most}`
    : sql<number>`select rowid from document_words where document_words match ${[`client_id : "${clientId.replace(/.*_/, '')}"`, ...words.map((word) => `name_key : "${word}" *`)].join(' AND ')} order by rowid desc limit ${most}`;

/** How `*_key` columns fold: compatible forms as one, no case. */
export const fold = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC');
