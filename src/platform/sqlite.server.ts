import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Kysely, SqliteAdapter, SqliteDialect, SqliteIntrospector, type DatabaseMetadataOptions, type TableMetadata } from 'kysely';
import { PortalError } from './errors.server.ts';
import { log } from './log.server.ts';
import type { Tables } from './schema.server.ts';

const MOST_STATEMENTS = 500;
/** How long a statement waits for another process's lock, and how long while the last one waited in vain: it holds up everybody (ms). */
const PATIENCE = 5000;
const IMPATIENCE = 50;

/** Kysely's SQLite dialect, with schema changes inside transactions, which SQLite has and the adapter does not claim. */
class TransactionalSqlite extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new (class extends SqliteAdapter {
      override get supportsTransactionalDdl(): boolean {
        return true;
      }
    })();
  }

  /** The tables in which the engine keeps the index of words are none of ours, as an index is none. */
  override createIntrospector(database: Kysely<unknown>): SqliteIntrospector {
    return new (class extends SqliteIntrospector {
      override async getTables(options?: DatabaseMetadataOptions): Promise<TableMetadata[]> {
        return (await super.getTables(options)).filter(({ name }) => !name.startsWith('document_words'));
      }
    })(database);
  }
}

export const databaseFile = (dataDir: string): string => path.join(dataDir, 'portal.db');

/** Writes the database as it is at this moment into a new file; whoever writes to it goes on meanwhile. */
export function snapshotSqlite(file: string, to: string): void {
  const connection = new DatabaseSync(file, { readOnly: true });
  try {
    connection.prepare('vacuum into ?').run(to);
  } finally {
    connection.close();
  }
}

/** The embedded engine: Node's own SQLite, opened by one process only. */
export function openSqlite(file: string): Kysely<Tables> {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const connection = new DatabaseSync(file, { limits: { attach: 0 } });
  for (const pragma of ['journal_mode=WAL', 'synchronous=FULL', `busy_timeout=${PATIENCE}`, 'foreign_keys=ON', 'cache_size=-16384']) connection.exec(`pragma ${pragma}`);
  return new Kysely<Tables>({ dialect: new TransactionalSqlite({ database: { prepare: cachedStatements(connection), close: () => connection.close() } }) });
}

function cachedStatements(connection: DatabaseSync) {
  const refusingWhenLocked = patienceOf(connection);
  const cache = new Map<string, { prepared: StatementSync; reader: boolean }>();
  const statement = (text: string): { prepared: StatementSync; reader: boolean } => {
    const known = cache.get(text);
    if (known) return known;
    const prepared = connection.prepare(text);
    const one = { prepared, reader: prepared.columns().length > 0 }; // asked once: it makes an object of every column
    const [oldest] = cache.keys();
    if (cache.size >= MOST_STATEMENTS && oldest !== undefined) cache.delete(oldest);
    cache.set(text, one);
    return one;
  };
  return (text: string) => {
    // A transaction that reads before it writes must hold the write lock from its start, or SQLite answers "database is locked".
    const { prepared, reader } = statement(text === 'begin' ? 'begin immediate' : text);
    const values = (parameters: readonly unknown[]): SQLInputValue[] => parameters.map(bindable);
    return {
      reader,
      all: (parameters: readonly unknown[]) => refusingWhenLocked(text, () => prepared.all(...values(parameters))),
      run: (parameters: readonly unknown[]) => (text === 'rollback' && !connection.isTransaction ? UNDONE : refusingWhenLocked(text, () => prepared.run(...values(parameters)))),
      iterate: (parameters: readonly unknown[]) => connection.prepare(text).iterate(...values(parameters)),
    };
  };
}

/** On a full disk SQLite undoes the transaction by itself. */
const UNDONE = { changes: 0, lastInsertRowid: 0 };
const BUSY = 5;
const FULL = 13;

/** Carries out a statement; when another process held the lock for longer than we wait, that is UNAVAILABLE and passes. A full disk is QUOTA. */
function patienceOf(connection: DatabaseSync) {
  let isLocked = false;
  const wait = (milliseconds: number): void => connection.exec(`pragma busy_timeout=${milliseconds}`);
  return <T>(text: string, work: () => T): T => {
    try {
      const answer = work();
      if (isLocked && /^(begin|insert|update|delete)/.test(text)) {
        isLocked = false;
        wait(PATIENCE);
      }
      return answer;
    } catch (error) {
      const code = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
      if (code === FULL) {
        log.error({ event: 'database.full', err: error });
        throw new PortalError('QUOTA');
      }
      if (code !== BUSY) throw error;
      log.warn({ event: 'database.unavailable', err: error });
      isLocked = true;
      wait(IMPATIENCE);
      throw new PortalError('UNAVAILABLE', { retryAfter: 1 });
    }
  };
}

function bindable(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' || value instanceof Uint8Array) return value;
  throw new TypeError(`A ${typeof value} cannot be stored: give text, a number or null.`);
}
