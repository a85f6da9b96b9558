import {
  CompiledQuery,
  SelectQueryNode,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
} from 'kysely';
import { SECOND } from '../runtime/clock.server.ts';
import { PortalError } from '../runtime/errors.server.ts';
import { log } from '../monitoring/log.server.ts';
import { Turns } from '../runtime/turns.server.ts';

/** How long a statement waits for the lock of another process. */
const LOCK_TIMEOUT = 5 * SECOND;
/** The longest pause between two tries to get it (ms). */
const MAX_PAUSE = 25;
/** The longest timeout of a timer. */
const NEVER = 2 ** 31 - 1;

/** A connection of the embedded database, with its prepared statements. */
export interface EmbeddedDatabase {
  prepare: (text: string) => {
    isReader: boolean;
    all: (parameters: readonly unknown[]) => unknown[];
    run: (parameters: readonly unknown[]) => { changes: number | bigint; lastInsertRowid: number | bigint };
  };
  /** True for the error that another process holds the lock. */
  isBusy: (error: unknown) => boolean;
  /** Called when somebody has written. */
  written?: () => void;
  close: () => void;
}

export const CHANGES_SCHEMA = /^\s*(alter|create|drop)\b/i;

const WRITES = /\b(insert|update|delete)\b/i;

/** Whether a statement only reads; text that may be a writing one counts as such. */
const isRead = ({ sql, query }: CompiledQuery): boolean =>
  SelectQueryNode.is(query) || (/^\s*(select|with)\b/i.test(sql) && !WRITES.test(sql));

/**
 * Kysely's driver for the embedded database. One connection writes, one transaction or statement after the other. It
 * also reads, while it is free; while it is taken, a second connection reads what was committed, so that nobody waits for
 * the writer. Waiting for the lock of another process blocks nothing (docs/decisions/0086).
 */
export class EmbeddedDriver implements Driver {
  readonly #writer: EmbeddedDatabase;
  readonly #openReader: () => EmbeddedDatabase;
  readonly #turns = new Turns();
  #reader: EmbeddedDatabase;
  #isTaken = false;
  #hasNewSchema = false;

  constructor(writer: EmbeddedDatabase, openReader: () => EmbeddedDatabase) {
    this.#writer = writer;
    this.#openReader = openReader;
    this.#reader = openReader();
  }

  /** The connection that reads outside of transactions now. */
  get reader(): EmbeddedDatabase {
    return this.#isTaken ? this.#reader : this.#writer;
  }

  /** Waits until nobody else writes. Call `release` with the statements done. */
  async takeWriter(): Promise<{ writer: EmbeddedDatabase; release: () => void }> {
    const pass = await this.#turns.take('writer', NEVER);
    this.#isTaken = true;
    const release = (): void => {
      this.#isTaken = false;
      try {
        this.#writer.written?.();
        if (this.#hasNewSchema) this.#reopenReader();
      } finally {
        pass();
      }
    };
    return { writer: this.#writer, release };
  }

  /** Notes a statement that changes the schema. */
  noteSchemaChange(): void {
    this.#hasNewSchema = true;
  }

  /** Its prepared statements have the old columns. */
  #reopenReader(): void {
    this.#hasNewSchema = false;
    this.#reader.close();
    this.#reader = this.#openReader();
  }

  init = (): Promise<void> => Promise.resolve();
  acquireConnection = (): Promise<EmbeddedConnection> => Promise.resolve(new EmbeddedConnection(this));
  beginTransaction = (connection: EmbeddedConnection): Promise<void> => connection.begin();
  commitTransaction = (connection: EmbeddedConnection): Promise<void> => connection.end('commit');
  rollbackTransaction = (connection: EmbeddedConnection): Promise<void> => connection.end('rollback');
  releaseConnection = (connection: EmbeddedConnection): Promise<void> =>
    Promise.resolve(connection.release());

  /** Closes the connections; the one that writes last, since the last one empties the log. */
  destroy(): Promise<void> {
    this.#reader.close();
    this.#writer.close();
    return Promise.resolve();
  }
}

class EmbeddedConnection implements DatabaseConnection {
  readonly #driver: EmbeddedDriver;
  /** While a transaction is open. */
  #turn: Awaited<ReturnType<EmbeddedDriver['takeWriter']>> | undefined;

  constructor(driver: EmbeddedDriver) {
    this.#driver = driver;
  }

  async begin(): Promise<void> {
    const deadline = performance.now() + LOCK_TIMEOUT;
    this.#turn = await this.#driver.takeWriter();
    const { writer } = this.#turn;
    await run(() => writer, CompiledQuery.raw('begin'), deadline);
  }

  /** Ends the transaction. A failed commit leaves it to be rolled back. */
  async end(how: 'commit' | 'rollback'): Promise<void> {
    await this.executeQuery(CompiledQuery.raw(how));
    this.release();
  }

  /** Lets others write, after a transaction or one that could not begin. */
  release(): void {
    this.#turn?.release();
    this.#turn = undefined;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const deadline = performance.now() + LOCK_TIMEOUT;
    if (CHANGES_SCHEMA.test(query.sql)) this.#driver.noteSchemaChange();
    const open = this.#turn?.writer;
    if (open) return run(() => open, query, deadline);
    if (isRead(query)) return run(() => this.#driver.reader, query, deadline);
    const { writer, release } = await this.#driver.takeWriter();
    try {
      return await run(() => writer, query, deadline);
    } finally {
      release();
    }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }
}

/** Runs a statement; waits while another process holds the lock, and is UNAVAILABLE after the deadline. */
async function run<R>(
  connection: () => EmbeddedDatabase,
  query: CompiledQuery,
  deadline: number,
): Promise<QueryResult<R>> {
  for (let tries = 1; ; tries += 1) {
    const database = connection();
    try {
      return runNow(database, query);
    } catch (error) {
      if (!database.isBusy(error)) throw error;
      if (performance.now() > deadline) {
        log.warn({ event: 'database.unavailable', err: error });
        throw new PortalError('UNAVAILABLE', { retryAfter: 1 });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(MAX_PAUSE, 2 ** tries)));
  }
}

function runNow<R>(database: EmbeddedDatabase, { sql, parameters }: CompiledQuery): QueryResult<R> {
  const statement = database.prepare(sql);
  if (statement.isReader) return { rows: statement.all(parameters) as R[] };
  const { changes, lastInsertRowid } = statement.run(parameters);
  return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
}
