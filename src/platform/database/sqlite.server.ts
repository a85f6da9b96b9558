import { AsyncLocalStorage } from 'node:async_hooks';
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import {
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseMetadataOptions,
  type Dialect,
  type TableMetadata,
} from 'kysely';
import { CHECKPOINT_PAGES, checkpointsOf, MAX_LOG_PAGES, type Checkpoints } from './checkpoints.server.ts';
import { PortalError } from '../runtime/errors.server.ts';
import { log } from '../monitoring/log.server.ts';
import type { Tables } from './schema.server.ts';
import { CHANGES_SCHEMA, EmbeddedDriver, type EmbeddedDatabase } from './sqlite-driver.server.ts';
import { ConfigurationError } from '../runtime/startup.server.ts';

const MAX_STATEMENTS = 500;
/** How long opening the database waits for the lock of another process (ms); statements wait without blocking. */
const OPENING_TIMEOUT = 5000;

/** What triggers maintain, and a table that only PostgreSQL fills. */
const HIDDEN_TABLES = ['unread', 'possible_duplicates', 'possible_duplicates_of', 'transaction_outcomes'];
const SEARCH_TABLES = ['document_words', 'client_search', 'contact_search', 'task_search'];

/** SQLite by Kysely, with our driver and transactional DDL, which SQLite supports but Kysely's adapter does not declare. */
class EmbeddedDialect implements Dialect {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  createDriver(): EmbeddedDriver {
    return new EmbeddedDriver(connectTo(this.#file), () => connectTo(this.#file, { readOnly: true }));
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): SqliteAdapter {
    return new (class extends SqliteAdapter {
      override get supportsTransactionalDdl(): boolean {
        return true;
      }
      override get supportsMultipleConnections(): boolean {
        return true;
      }
    })();
  }

  /** Hides the tables that triggers maintain as indexes (words and unread). */
  createIntrospector(database: Kysely<unknown>): SqliteIntrospector {
    return new (class extends SqliteIntrospector {
      override async getTables(options?: DatabaseMetadataOptions): Promise<TableMetadata[]> {
        return (await super.getTables(options)).filter(
          ({ name }) =>
            !HIDDEN_TABLES.includes(name) && !SEARCH_TABLES.some((table) => name.startsWith(table)),
        );
      }
    })(database);
  }
}

export const databaseFile = (dataDir: string): string => path.join(dataDir, 'portal.db');

/** Writes a snapshot of the database into a new file, without blocking writers. */
export function snapshotSqlite(file: string, to: string): void {
  const connection = new DatabaseSync(file, { readOnly: true });
  try {
    connection.prepare('vacuum into ?').run(to);
  } finally {
    connection.close();
  }
}

/** Opens the embedded engine, Node's SQLite, for one process only. */
export const openSqlite = (file: string): Kysely<Tables> =>
  new Kysely<Tables>({ dialect: new EmbeddedDialect(file) });

const unsynced = new AsyncLocalStorage<true>();

/**
 * Writes of `work`, outside a transaction or in one that it begins, do not wait for the disk
 * (docs/decisions/0034).
 */
export const withoutSync = <T>(work: () => Promise<T>): Promise<T> => unsynced.run(true, work);

/** Sets the durability of the next write. Not inside a transaction, where its start has decided. */
function durabilitySetter(connection: DatabaseSync): (text: string) => void {
  let isSynced = true;
  return (text) => {
    const wanted = unsynced.getStore() === undefined;
    if (wanted === isSynced || text.startsWith('select') || connection.isTransaction) return;
    connection.exec(`pragma synchronous=${wanted ? 'FULL' : 'NORMAL'}`);
    isSynced = wanted;
  };
}

function connectTo(file: string, { readOnly = false } = {}): EmbeddedDatabase {
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const connection = new DatabaseSync(file, { limits: { attach: 0 } });
    for (const pragma of [
      'journal_mode=WAL',
      'synchronous=FULL',
      `busy_timeout=${OPENING_TIMEOUT}`,
      'foreign_keys=ON',
      // what another connection commits empties the cache of this one: it keeps little
      `cache_size=${readOnly ? -4096 : -16384}`,
    ])
      connection.exec(`pragma ${pragma}`);
    // the words of these indexes, for texts that are shorter than them; not stored, so each connection has its own
    for (const table of ['client_search', 'contact_search', 'task_search'])
      connection.exec(
        `create virtual table temp.${table}_terms using fts5vocab('main', '${table}_words', 'instance')`,
      );
    connection.exec('pragma busy_timeout=0');
    const prepare = cachedStatements(connection);
    if (readOnly) {
      connection.exec('pragma query_only=ON');
      return { prepare, isBusy, close: () => connection.close() };
    }
    connection.exec(`pragma wal_autocheckpoint=${MAX_LOG_PAGES}`);
    const checkpoints = checkpointsOf(file);
    return {
      prepare,
      isBusy,
      written: beginIfDue(connection, checkpoints),
      close: () => {
        checkpoints.end();
        connection.close();
      },
    };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!UNWRITABLE.has(code) && !UNOPENED.has(codeOf(error) ?? 0)) throw error;
    throw new ConfigurationError(
      `${file} cannot be opened and written. Check that its disk is mounted, has free space and is not read-only, and that the folder belongs to the user who runs this.`,
    );
  }
}

/** Of a question about the log while a statement of the connection is open. */
const SQLITE_LOCKED = 6;

/**
 * Begins a checkpoint when the log has become long; asking costs some microseconds. While a statement is open it cannot
 * be asked: the next write asks again.
 */
function beginIfDue(connection: DatabaseSync, checkpoints: Checkpoints): () => void {
  const state = connection.prepare('pragma wal_checkpoint(noop)');
  state.setReturnArrays(true);
  return () => {
    try {
      const [[, pages, moved] = []] = state.all() as unknown as (readonly number[])[];
      if ((pages ?? 0) - (moved ?? 0) >= CHECKPOINT_PAGES) checkpoints.begin();
    } catch (error) {
      if (codeOf(error) !== SQLITE_LOCKED) throw error;
    }
  };
}

function cachedStatements(connection: DatabaseSync): EmbeddedDatabase['prepare'] {
  const setDurability = durabilitySetter(connection);
  const cache = new Map<string, Cached>();
  const statement = (text: string): Cached => {
    const known = cache.get(text);
    if (known) return known;
    const prepared = connection.prepare(text);
    // cached: columns() creates an object per column
    const columns = prepared.columns().map(({ name }) => name);
    prepared.setReturnArrays(true);
    const entry = { prepared, columns };
    if (CHANGES_SCHEMA.test(text)) {
      cache.clear(); // the columns of others may have changed
      return entry;
    }
    const [oldest] = cache.keys();
    if (cache.size >= MAX_STATEMENTS && oldest !== undefined) cache.delete(oldest);
    cache.set(text, entry);
    return entry;
  };
  return (text: string) => {
    // a transaction that reads before it writes needs the write lock from its start, or SQLite reports
    // "database is locked"
    const { prepared, columns } = statement(text === 'begin' ? 'begin immediate' : text);
    const values = (parameters: readonly unknown[]): SQLInputValue[] => parameters.map(bindable);
    setDurability(text);
    return {
      isReader: columns.length > 0,
      all: (parameters) => withErrorMapping(text, () => rowsOf(columns, prepared.all(...values(parameters)))),
      run: (parameters) =>
        text === 'rollback' && !connection.isTransaction
          ? ALREADY_ROLLED_BACK
          : withErrorMapping(text, () => prepared.run(...values(parameters))),
    };
  };
}

interface Cached {
  prepared: StatementSync;
  columns: readonly string[];
}

/**
 * Names the values of rows. The objects that the engine makes are dictionaries, which are slower to make and to read
 * than these, whose properties are in the same place in each row.
 */
const rowsOf = (
  columns: readonly string[],
  rows: readonly Readonly<Record<number, SQLOutputValue>>[],
): Record<string, SQLOutputValue | undefined>[] =>
  rows.map((values) => {
    const row: Record<string, SQLOutputValue | undefined> = {};
    for (let i = 0; i < columns.length; i += 1) row[columns[i] ?? ''] = values[i];
    return row;
  });

/** On a full disk SQLite rolls back the transaction itself. */
const ALREADY_ROLLED_BACK = { changes: 0, lastInsertRowid: 0 };
const BUSY = 5;
const FULL = 13;
const READ_ONLY = 8;
const INPUT_OUTPUT = 10;
const CANNOT_OPEN = 14;

/** Errors of opening a file that is not writable: of the system, and of the engine. */
const UNWRITABLE = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EEXIST']);
const UNOPENED = new Set([READ_ONLY, INPUT_OUTPUT, CANNOT_OPEN, FULL]);

const codeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined;

/** True when the file is read-only. A disk that became read-only reports an I/O error for writes. */
const isReadOnly = (code: number | undefined, text: string): boolean =>
  code === READ_ONLY || (code === INPUT_OUTPUT && !/^(select|pragma)/i.test(text));

/** True when another process holds the lock. */
const isBusy = (error: unknown): boolean => codeOf(error) === BUSY;

/** Maps errors of the engine: a full disk is QUOTA, a read-only one READ_ONLY. */
function withErrorMapping<T>(text: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = codeOf(error);
    if (code === FULL) {
      log.error({ event: 'database.full', err: error });
      throw new PortalError('QUOTA');
    }
    if (isReadOnly(code, text)) {
      log.error({ event: 'database.read-only', err: error });
      throw new PortalError('READ_ONLY');
    }
    throw error;
  }
}

function bindable(value: unknown): SQLInputValue {
  if (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'bigint' ||
    value instanceof Uint8Array
  )
    return value;
  throw new TypeError(`A ${typeof value} cannot be stored: use text, a number or null.`);
}
