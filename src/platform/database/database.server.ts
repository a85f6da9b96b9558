import { AsyncLocalStorage } from 'node:async_hooks';
import { sql, type Expression, type Kysely, type RawBuilder, type SqlBool, type Transaction } from 'kysely';
import { Migrator } from 'kysely/migration';
import { HOUR, MINUTE, SECOND } from '../runtime/clock.server.ts';
import { config } from '../runtime/config.server.ts';
import {
  columnNames,
  copyDatabase,
  copyOrder,
  digestsOf,
  foreignKeys,
  type CopySide,
  type ForeignKey,
} from './copy.server.ts';
import { allTables } from './tables.server.ts';
import { newId } from '../security/crypto.server.ts';
import { PortalError, refusal } from '../runtime/errors.server.ts';
import { log } from '../monitoring/log.server.ts';
import { migrations } from './migrations.server.ts';
import { keepCopyBefore } from './schema-copy.server.ts';
import {
  databaseFile,
  openSqlite,
  snapshotSqlite,
  withoutSync as withoutSyncOfSqlite,
} from './sqlite.server.ts';
import type { Tables } from './schema.server.ts';
import { ConfigurationError } from '../runtime/startup.server.ts';
import { Turns } from '../runtime/turns.server.ts';
import { seqsByBeginnings } from './word-beginnings.server.ts';

/*
 * The only module that knows the engine. SQLite: one process, WAL with synchronous=FULL, so that committed
 * data survives a power cut. PostgreSQL: no named statements, 64-bit integers as numbers. Transactions are
 * serializable on both (docs/decisions/0016), and a database that does not respond within five seconds is
 * UNAVAILABLE.
 */

const TIMEOUT = 5 * SECOND;
/** How long a transaction waits for those of its firm that asked before it. */
const TURN_TIMEOUT = 20 * SECOND;
/** From how many tries on a transaction is logged. */
const NOTED_TRIES = 4;
const url = config.databaseUrl;
const engine = url === undefined ? undefined : await import('./postgres.server.ts');
const postgres = engine !== undefined;
let opened: Kysely<Tables> | undefined;

/** Identifies this start of the process, at the database and in what it leases. */
export const NODE_ID = newId('node');

/** Opens the database on first use, so that a command can put a file in its place before. */
const database = (): Kysely<Tables> =>
  (opened ??=
    engine && url !== undefined
      ? engine.openPostgres(url, { name: NODE_ID })
      : openSqlite(databaseFile(config.dataDir)));

/** A transaction, and the firm in whose audit log it writes, as soon as that is known. */
interface OpenTransaction {
  transaction: Transaction<Tables>;
  firm?: string;
  /** What is done once it has committed. */
  afterwards?: (() => void)[];
}
const transactions = new AsyncLocalStorage<OpenTransaction>();

/** The open transaction of this call, or the database. */
export const db = (): Kysely<Tables> => transactions.getStore()?.transaction ?? database();

/** True inside {@link inTransaction}. */
export const isInTransaction = (): boolean => transactions.getStore() !== undefined;

const firms = new AsyncLocalStorage<string | undefined>();

/** Runs `work` for a firm: on PostgreSQL its transactions wait for one another instead of aborting each other. */
export const withFirm = <T>(companyId: string | undefined, work: () => T): T => firms.run(companyId, work);

/** Notes the firm of the open transaction: should it have to run again, it waits for the others of that firm. */
export function noteFirm(companyId: string): void {
  const open = transactions.getStore();
  if (open) open.firm = companyId;
}

/** Does `act`, which must not throw, once the open transaction has committed; without one at once. */
export function afterCommit(act: () => void): void {
  const open = transactions.getStore();
  if (open) (open.afterwards ??= []).push(act);
  else act();
}

/** Runs `work` in the transaction that `run` opens, and after its commit what was to be done then. */
async function runOpen<T>(
  run: (inside: (transaction: Transaction<Tables>) => Promise<T>) => Promise<T>,
  work: () => Promise<T>,
  onOpen: (open: OpenTransaction) => void = () => undefined,
): Promise<T> {
  const afterwards: (() => void)[] = [];
  const result = await run((transaction) => {
    const open = { transaction, afterwards };
    onOpen(open);
    return transactions.run(open, work);
  });
  for (const act of afterwards) act();
  return result;
}

interface ActBeforeCommit {
  act: () => Promise<void>;
  /** Whether a transaction has reached its end. */
  isReached: boolean;
}

const beforeCommit = new AsyncLocalStorage<ActBeforeCommit>();

/** Runs `work` so that each of its transactions ends with `act`, which is part of it. */
export const withActBeforeCommit = <T>(act: () => Promise<void>, work: () => T): T =>
  beforeCommit.run({ act, isReached: false }, work);

/** Whether the request may have had an effect: then it must not be reported as failed, nor be repeated under another key. */
export const mayHaveActed = (): boolean => beforeCommit.getStore()?.isReached ?? false;

/** Runs `work` so that its transactions are no act of the request: they only count, and may be repeated. */
export const withoutAct = <T>(work: () => T): T => beforeCommit.exit(work);

/**
 * Runs `work` in a serializable transaction, or joins the open one. On PostgreSQL, after a conflict or a lost
 * connection, the transaction is rolled back and `work` runs again: it must have no effects outside the
 * database. It never runs again once it may have been committed (docs/decisions/0082).
 */
export function inTransaction<T>(work: () => Promise<T>): Promise<T> {
  if (transactions.getStore()) return work();
  const whole = async (): Promise<T> => {
    const result = await work();
    const before = beforeCommit.getStore();
    if (before) before.isReached = true;
    await before?.act();
    return result;
  };
  if (engine) return inSerializable(engine, whole);
  return runOpen((inside) => database().transaction().execute(inside), whole);
}

type Engine = NonNullable<typeof engine>;

/** The tries of one transaction. */
interface Tries {
  count: number;
  deadline: number;
}

/**
 * Runs a transaction on PostgreSQL. Every act of a firm extends its audit log, so two at once would abort one another:
 * they take turns, in the order in which they ask (docs/decisions/0083). Where the firm is not known beforehand, that is
 * so from the second try on.
 */
async function inSerializable<T>(postgres: Engine, work: () => Promise<T>): Promise<T> {
  const tries: Tries = { count: 0, deadline: performance.now() + TIMEOUT };
  for (let firm = firms.getStore(); ;) {
    let open: OpenTransaction | undefined;
    const attempt = (connection: Kysely<Tables>): Promise<T> =>
      runOpen(
        (inside) => connection.transaction().setIsolationLevel('serializable').execute(inside),
        work,
        (begun) => (open = begun),
      );
    try {
      if (firm === undefined) return await attempt(database());
      return await inTurn(firm, tries, (connection) =>
        retry(() => attempt(connection), postgres.isConflict, tries),
      );
    } catch (error) {
      if (!postgres.isConflict(error) && !postgres.isRolledBack(error)) throw error;
      await nextTry(tries, error);
      firm ??= open?.firm;
    }
  }
}

async function retry<T>(
  attempt: () => Promise<T>,
  isRetryable: (error: unknown) => boolean,
  tries: Tries,
): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      await nextTry(tries, error);
    }
  }
}

/** Waits before the next try after this error; UNAVAILABLE when there were enough. */
async function nextTry(tries: Tries, error: unknown): Promise<void> {
  tries.count += 1;
  log.debug({ event: 'database.retried' });
  const isLate = performance.now() > tries.deadline;
  if (isLate || tries.count % NOTED_TRIES === 0)
    log.warn({ event: 'database.contention', attempts: tries.count, err: error });
  if (isLate) throw new PortalError('UNAVAILABLE', { retryAfter: 1 });
  await pause(Math.random() * Math.min(100, 2 ** tries.count));
}

const turns = new Turns();
/** Distinguishes these locks from those of others in the same database. */
const TURNS = 0x706f7274;

/**
 * Runs `work` on a connection of its own while no other transaction of the firm runs, on any node. Only the first of this
 * process waits at the database, so that the others keep no connection. The lock is that of the session and is taken
 * before the transaction begins: what it reads is as the one before has left it.
 */
async function inTurn<T>(
  firm: string,
  tries: Tries,
  work: (connection: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  const done = await turns.take(firm, TURN_TIMEOUT);
  try {
    return await database()
      .connection()
      .execute(async (connection) => {
        await sql`select pg_advisory_lock(${TURNS}, hashtext(${firm}))`.execute(connection);
        tries.deadline = performance.now() + TIMEOUT;
        try {
          return await work(connection);
        } finally {
          // else the server releases it with the connection
          await sql`select pg_advisory_unlock(${TURNS}, hashtext(${firm}))`
            .execute(connection)
            .catch(() => undefined);
        }
      });
  } finally {
    done();
  }
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Runs `work` outside the current transaction, for what continues after the call has ended. */
export const outsideTransaction = <T>(work: () => T): T =>
  transactions.exit(() => firms.exit(() => beforeCommit.exit(work)));

/**
 * Runs `work` without waiting for the disk on SQLite: a power cut may lose its writes, a crash of this
 * process may not. They become durable with the next synced write (docs/decisions/0034). No effect inside an
 * open transaction.
 */
export const withoutSync = <T>(work: () => Promise<T>): Promise<T> =>
  postgres ? work() : withoutSyncOfSqlite(work);

/** Runs `work` without a limit for its statements: migrations and copies, which may take minutes. */
const withoutTimeLimit = async <T>(work: () => Promise<T>): Promise<T> =>
  (await import('./postgres.server.ts')).withoutTimeLimit(work);

/** Migrates the schema, each migration completely or not at all. The embedded database is copied first. */
export const migrate = (): Promise<void> =>
  retryWhileUnavailable(async () => {
    const { missing, unknown, done } = await schemaState();
    const [first] = missing;
    const isOlder = done.length > 0 && unknown.length === 0 && first !== undefined;
    if (isOlder && !postgres) await keepCopyBefore(first, config.dataDir);
    await migrateSchema(database(), postgres);
  });

/**
 * Retries while the database is UNAVAILABLE, for up to a minute: it may be starting too, or another node may
 * be migrating it.
 */
export async function retryWhileUnavailable(work: () => Promise<void>): Promise<void> {
  for (const deadline = performance.now() + MINUTE; ; await pause(0.5 * SECOND)) {
    try {
      return await work();
    } catch (error) {
      if (refusal(error)?.code !== 'UNAVAILABLE' || performance.now() > deadline) throw error;
    }
  }
}

/**
 * Migrates a database. Unordered migrations are allowed: some early ones landed out of name order, and do not
 * depend on each other.
 */
export async function migrateSchema(target: Kysely<Tables>, onPostgres: boolean): Promise<void> {
  const all = migrations(onPostgres);
  const provider = { getMigrations: () => Promise.resolve(all) };
  const migrator = new Migrator({ db: target, provider, allowUnorderedMigrations: true });
  const { error } = await withoutTimeLimit(() => migrator.migrateToLatest());
  if (error) throw (await newerVersionError(target, Object.keys(all))) ?? error;
}

/** The error for a database that a newer version has migrated, which this one might damage. */
async function newerVersionError(
  target: Kysely<Tables>,
  known: string[],
): Promise<ConfigurationError | undefined> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(
    target,
  );
  const unknown = rows.find(({ name }) => !known.includes(name));
  return (
    unknown &&
    new ConfigurationError(
      `The database contains the migration ${unknown.name}, which this version of the portal does not know: a newer version has used it. Start that version again, or restore a backup from before the upgrade.`,
    )
  );
}

const own = (): CopySide => ({ database: database(), isPostgres: postgres });

/** A column that names rows of another table, by a foreign key or by the name of the other's key. */
export type Reference = ForeignKey;

/** All tables with their columns, each after those whose rows it names. */
export async function tablesByReference(): Promise<{
  tables: { name: keyof Tables; key: readonly string[]; columns: string[] }[];
  references: Reference[];
}> {
  const side = { database: db(), isPostgres: postgres };
  const columns = await columnNames(side);
  const tables = allTables().map(({ name, key }) => ({ name, key, columns: columns.get(name) ?? [] }));
  const keys = await foreignKeys(side);
  const byName = tables.flatMap(({ name, columns: own }) =>
    own.flatMap((column) =>
      tables
        .filter((other) => other.name !== name && other.key.length === 1 && other.key[0] === column)
        .filter((other) => other.columns.includes('company_id'))
        .filter(() => !keys.some((key) => key.table === name && key.column === column))
        .map((other): Reference => ({ table: name, column, references: other.name })),
    ),
  );
  const references = [...keys, ...byName];
  return { tables: copyOrder(tables, references).tables, references };
}

/** Writes a snapshot of the running database into a new SQLite file. */
export async function snapshotInto(file: string): Promise<void> {
  if (!postgres) return snapshotSqlite(databaseFile(config.dataDir), file);
  const snapshot = openSqlite(file);
  try {
    await migrateSchema(snapshot, false);
    await withoutTimeLimit(() => copyDatabase(own(), { database: snapshot, isPostgres: false }));
  } finally {
    await snapshot.destroy();
  }
}

/** Fills this empty database from a snapshot by {@link snapshotInto}. */
export async function fillFrom(file: string): Promise<void> {
  const snapshot = openSqlite(file);
  try {
    await migrateSchema(snapshot, false);
    await withoutTimeLimit(() => copyDatabase({ database: snapshot, isPostgres: false }, own()));
  } finally {
    await snapshot.destroy();
  }
}

/**
 * Copies everything into an empty PostgreSQL database and compares the two. Returns the number of rows, and the tables
 * that have changed here meanwhile. The portal must not be running.
 */
export async function moveTo(url: string): Promise<{ rows: number; different: string[] }> {
  const target = (await import('./postgres.server.ts')).openPostgres(url);
  try {
    await migrateSchema(target, true);
    const firm = await target.selectFrom('firms').select('company_id').limit(1).executeTakeFirst();
    if (firm)
      throw new ConfigurationError(
        'The target database already contains a firm. If an earlier move finished, start the portal with DATABASE_URL set to it; otherwise choose an empty database.',
      );
    const { rows, digests } = await withoutTimeLimit(() =>
      copyDatabase(own(), { database: target, isPostgres: true }),
    );
    const after = await withoutTimeLimit(() => digestsOf(database()));
    return { rows, different: Object.keys(digests).filter((table) => digests[table] !== after[table]) };
  } finally {
    await target.destroy();
  }
}

/**
 * The migrations of this version that are pending, those applied, and of these the ones unknown to this
 * version.
 */
export async function schemaState(): Promise<{ missing: string[]; unknown: string[]; done: string[] }> {
  const known = Object.keys(migrations(postgres));
  const done: string[] = await sql<{ name: string }>`select name from kysely_migration`
    .execute(database())
    .then(
      ({ rows }) => rows.map((row) => row.name),
      () => [], // the table does not exist in a new database
    );
  return {
    missing: known.filter((name) => !done.includes(name)),
    unknown: done.filter((name) => !known.includes(name)),
    done,
  };
}

/** Refuses a database whose schema is of another version, before something fails halfway. */
export async function assertSchemaFits(): Promise<void> {
  const { missing, unknown } = await schemaState();
  if (unknown.length > 0)
    throw new ConfigurationError(
      `The database was used by a newer version (${unknown.join(', ')}). Start that version, or restore a backup from before the upgrade.`,
    );
  if (missing.length > 0)
    throw new ConfigurationError(
      `The database is of an earlier version and is migrated at the next start (${missing.join(', ')}). Start the portal once, then run this again.`,
    );
}

/** The clock of the database in a statement, in epoch ms. */
export const databaseTime: RawBuilder<number> = postgres
  ? sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`
  : sql`cast(unixepoch('subsec') * 1000 as integer)`;

/** The database's own clock, in epoch ms. */
export async function databaseClock(): Promise<number> {
  const { rows } = await sql<{ ms: number }>`select ${databaseTime} as ms`.execute(database());
  return Number(rows[0]?.ms);
}

/** Whether several nodes may share this database. */
export const isShared = postgres;

/** The condition that a node, a column with its id, has no connection to the database. */
export const isDisconnected = (nodeId: string): RawBuilder<SqlBool> =>
  sql`not exists (select 1 from pg_stat_activity where application_name = ${sql.ref(nodeId)})`;

/** What of a PostgreSQL server makes writes fail under load; undefined on SQLite. */
export async function serverLimits(): Promise<
  { predicateLocks: number; oldestTransaction: number } | undefined
> {
  if (!postgres) return undefined;
  const { rows } = await sql<{ locks: number; oldest: number | null }>`
    select current_setting('max_pred_locks_per_transaction')::int as locks,
      (select max(extract(epoch from clock_timestamp() - xact_start))::int from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()) as oldest`.execute(database());
  return { predicateLocks: rows[0]?.locks ?? 0, oldestTransaction: (rows[0]?.oldest ?? 0) * SECOND };
}

/** Resolves when the database responds. */
export async function ping(): Promise<void> {
  await sql`select 1`.execute(database());
}

/**
 * Runs the integrity checks of the engine, and returns the problems in its own words. PostgreSQL has none.
 */
export async function integrityFaults(): Promise<string[]> {
  if (postgres) return [];
  const pages = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(database());
  const references = await sql<{ table: string }>`pragma foreign_key_check`.execute(database());
  return [
    ...pages.rows.map((row) => row.integrity_check).filter((text) => text !== 'ok'),
    ...references.rows.map((row) => `a row of ${row.table} references a missing row`),
  ];
}

/** Deletes the outcomes of transactions that nobody looks for any more. */
export async function sweepOutcomes(): Promise<void> {
  const { rows } = await sql<{ at: number }>`select max(at) as at from transaction_outcomes`.execute(db());
  await db()
    .deleteFrom('transaction_outcomes')
    .where('at', '<', (rows[0]?.at ?? 0) - HOUR)
    .execute();
}

/** Closes the database; the next use opens it again. */
export async function closeDatabase(): Promise<void> {
  const closing = opened;
  opened = undefined;
  await closing?.destroy();
}

/** Suffix of a select inside an update: skips rows that another process has locked. */
export const skipLocked = postgres ? sql`for update skip locked` : sql``;

/** Suffix of a select: until the end of the transaction, others can neither change these rows nor lock them. */
export const lockRows = postgres ? sql`for no key update` : sql``;

/** What nodes tell one another: that there are jobs, or that what people are shown has changed. */
type Channel = 'jobs' | 'attention';

/** Notifies all nodes when the open transaction commits. Only a hint: it may be lost. */
export async function publishToNodes(channel: Channel): Promise<void> {
  if (postgres) await sql`select pg_notify(${channel}, '')`.execute(db());
}

/**
 * Calls `onMessage` for notifications of other nodes. Returns the function to unsubscribe. No effect with a
 * single process.
 */
export function subscribeToNodes(channel: Channel, onMessage: () => void): () => Promise<void> {
  return engine && url !== undefined ? engine.listenTo(url, channel, onMessage) : () => Promise.resolve();
}

const MAX_BATCH = 500;

/** Splits rows into batches that fit in one statement. */
export const inBatches = <Row>(rows: readonly Row[]): Row[][] =>
  Array.from({ length: Math.ceil(rows.length / MAX_BATCH) }, (_, batch) =>
    rows.slice(batch * MAX_BATCH, (batch + 1) * MAX_BATCH),
  );

/**
 * A column that SQLite is to compare and not to look up by an index. PostgreSQL chooses by what it knows of the column,
 * and knows nothing of an expression: it would expect a few rows where there are a hundred thousand, and sort them all.
 */
export const comparedColumn = (column: string): RawBuilder<string> =>
  postgres ? sql.ref(column) : sql`${sql.ref(column)} || ''`;

/** Ends an `exists` so that PostgreSQL evaluates it row by row: it might join all rows, of which few are needed. */
export const optimizationFence: RawBuilder<unknown> = postgres ? sql`limit 1 offset 0` : sql``;

/** The number of rows of a query, at most `max`, as an expression. */
export const countIn = (rows: Limited, max: number): RawBuilder<number> =>
  sql<number>`(select count(*) from (${rows.limit(max)}) as counted)`;

interface Limited {
  limit: (max: number) => Expression<unknown>;
}

/** Counts the rows of a query, up to `max`. */
export const countUpTo = async (rows: Limited, max: number): Promise<number> => {
  const { count } = await db().selectNoFrom(countIn(rows, max).as('count')).executeTakeFirstOrThrow();
  return Number(count);
};

/** True for the violation of a unique index. */
export function isUniqueViolation(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('code' in error && error.code === '23505') return true;
  return 'errcode' in error && (error.errcode === 2067 || error.errcode === 1555);
}

/** ASCII characters that no word has. */
const SEPARATOR = '[ -/:-@[-`{-~]';

/**
 * Whether the name of a document has a word that starts with `word`, one of {@link wordsOf}: a condition without the
 * index, which misses words after rare separators. Undefined on PostgreSQL, whose index is faster.
 */
export const documentNameHasWord = (word: string): RawBuilder<boolean> | undefined =>
  postgres
    ? undefined
    : sql<boolean>`(name_key glob ${`${word}*`} or name_key glob ${`*${SEPARATOR}${word}*`})`;

/**
 * The `seq` of the client's documents whose names have a word starting with each of `words`, newest first, at
 * most `max`, a number or a subquery. May include deleted documents and, on SQLite, those of other clients: scope
 * the result. `words` are those of {@link wordsOf}.
 */
export const documentSeqsByName = (
  clientId: string,
  words: readonly string[],
  max: number | RawBuilder<number>,
): RawBuilder<number> =>
  postgres
    ? seqsByBeginnings(clientId, words, max)
    : sql<number>`select rowid from document_words where document_words match ${[`client_id : "${clientId.replace(/.*_/, '')}"`, ...words.map((word) => `name_key : "${word}" *`)].join(' AND ')} order by rowid desc limit ${max}`;

/** A shorter text cannot be found by {@link clientsByText} and {@link contactsByText}. */
export const MIN_INDEXED_TEXT = 2;

/** What an index of texts finds. It may include rows of other firms on SQLite: scope the result. */
export interface FoundByText<T> {
  /** At most `max` rows whose folded text contains another one, in any order, as a subquery. */
  rows: (max: number) => RawBuilder<T>;
  /** As many rows, without reading their columns where the index can count them itself. */
  hits: (max: number) => RawBuilder<unknown>;
  /** The rows of a list, from `from` on, with the same columns; undefined where the index is quicker for any text. */
  listed: ((list: RawBuilder<unknown>) => RawBuilder<T>) | undefined;
}

/** A client as {@link clientsByText} finds it, with its key in `client_search_people`. */
export type ClientByText = Pick<
  Tables['clients'],
  'client_id' | 'company_id' | 'name_key' | 'code_key' | 'kind' | 'search_key' | 'archived_at' | 'merged_into'
> & { client_key: string | number };

const CLIENT_BY_TEXT = sql`client_id, ${postgres ? sql`client_id` : sql`seq`} as client_key, company_id, name_key, code_key, kind, search_key, archived_at, merged_into`;

/** Clients by their `search_key`, archived ones included. */
export function clientsByText(companyId: string, text: string): FoundByText<ClientByText> {
  if (!postgres)
    return {
      rows: (max) =>
        sql`select ${CLIENT_BY_TEXT} from client_search where seq in (${seqsByText('client_search', text, max)})`,
      hits: (max) => seqsByText('client_search', text, max),
      listed: undefined,
    };
  const rows = (max: number): RawBuilder<ClientByText> =>
    sql`select ${CLIENT_BY_TEXT} from clients where ${hasGrams('search_key', companyId, text)} limit ${max}`;
  return { rows, hits: rows, listed: (list) => sql`select ${CLIENT_BY_TEXT} ${list}` };
}

/** Clients with these ids, a subquery, as {@link clientsByText} finds them. */
export const clientsWithIds = (ids: RawBuilder<string>): RawBuilder<ClientByText> =>
  postgres
    ? sql`select ${CLIENT_BY_TEXT} from clients where client_id in (${ids})`
    : sql`select ${CLIENT_BY_TEXT} from client_search where client_id in (${ids})`;

/** A contact as {@link contactsByText} finds it. */
type ContactByText = Pick<
  Tables['contacts'],
  'contact_id' | 'company_id' | 'name_key' | 'staff' | 'removed_at'
>;

const CONTACT_BY_TEXT = sql`contact_id, company_id, name_key, staff, removed_at`;

/** Contacts and staff by their folded names, removed ones included. */
export function contactsByText(companyId: string, text: string): FoundByText<ContactByText> {
  if (!postgres)
    return {
      rows: (max) =>
        sql`select ${CONTACT_BY_TEXT} from contact_search where seq in (${seqsByText('contact_search', text, max)})`,
      hits: (max) => seqsByText('contact_search', text, max),
      listed: undefined,
    };
  const rows = (max: number): RawBuilder<ContactByText> =>
    sql`select ${CONTACT_BY_TEXT} from contacts where ${hasGrams('name_key', companyId, text)} limit ${max}`;
  return { rows, hits: rows, listed: (list) => sql`select ${CONTACT_BY_TEXT} ${list}` };
}

/** A task as {@link tasksByText} finds it. */
type TaskByText = Pick<Tables['tasks'], 'task_id'>;

/** Tasks by their folded titles, deleted ones included. */
export function tasksByText(companyId: string, text: string): FoundByText<TaskByText> {
  if (!postgres)
    return {
      rows: (max) =>
        sql`select task_id from task_search where seq in (${seqsByText('task_search', text, max)})`,
      hits: (max) => seqsByText('task_search', text, max),
      listed: undefined,
    };
  const rows = (max: number): RawBuilder<TaskByText> =>
    sql`select task_id from tasks where ${hasGrams('label_key', companyId, text)} limit ${max}`;
  return { rows, hits: rows, listed: (list) => sql`select task_id ${list}` };
}

/** The condition that a column contains a text, served by the index of its parts on PostgreSQL alone. */
function hasGrams(column: string, companyId: string, text: string): RawBuilder<SqlBool> {
  const size = [...text].length === 2 ? 2 : 3;
  return sql`company_id || '' = ${companyId}
    and client_grams(company_id, ${sql.ref(column)}) @> gram_keys(${companyId}, ${text}, ${sql.lit(size)})
    and ${sql.ref(column)} like ${`%${text.replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`;
}

/** After every text that begins like the one before it. */
const LAST_LETTER = String.fromCodePoint(0x10ffff);

/**
 * The index of SQLite has the parts of three letters. Two letters are the beginning of such a part, or the end of one
 * with any letter before them: those that parts begin with are found by jumping from one to the next.
 */
function seqsByText(
  index: 'client_search' | 'contact_search' | 'task_search',
  text: string,
  max: number,
): RawBuilder<number> {
  const [words, terms] = [sql.table(`${index}_words`), sql.table(`${index}_terms`)];
  return [...text].length > 2
    ? sql<number>`select rowid from ${words} where ${words} match ${`"${text.replaceAll('"', '""')}"`} limit ${max}`
    : sql<number>`with recursive letters (letter) as (
          select (select substr(term, 1, 1) from ${terms} limit 1)
          union all
          select (select substr(term, 1, 1) from ${terms} where term > letters.letter || ${LAST_LETTER} limit 1)
            from letters where letters.letter is not null
        )
        select doc from ${terms} where term >= ${text} and term < ${text + LAST_LETTER}
        union all
        select terms.doc from letters cross join ${terms} as terms on terms.term = letters.letter || ${text}
        limit ${max}`;
}

/** The words of a folded text, split as both engines split the names of documents. */
export const wordsOf = (folded: string): string[] =>
  folded.match(/[[\p{L}\p{N}\p{M}]--[\uFE00-\uFE0F\u20D0-\u20FF]]+/gv) ?? [];

/** Normalizes text for `*_key` columns: NFKC, without case. */
export const fold = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC');
