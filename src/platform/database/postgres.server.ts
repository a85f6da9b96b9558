import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  Kysely,
  PostgresDialect,
  PostgresIntrospector,
  type DatabaseMetadataOptions,
  type TableMetadata,
} from 'kysely';
import pg from 'pg';
import { SECOND } from '../runtime/clock.server.ts';
import { PortalError } from '../runtime/errors.server.ts';
import { log } from '../monitoring/log.server.ts';
import type { Tables } from './schema.server.ts';

const BIGINT = 20;
const MAX_CONNECTIONS = 10;
/** The same timeout as SQLite's lock: for a free connection, a new one, or a locked row. */
const TIMEOUT = 5 * SECOND;
/** How long a statement may take; the client waits a little longer, in case the server says nothing at all. */
const STATEMENT_TIMEOUT = 14 * SECOND;
const ANSWER_TIMEOUT = 15 * SECOND;
/** How long the server lets a transaction of ours wait for its next statement. */
const IDLE_TIMEOUT = 60 * SECOND;
const RECONNECT_DELAY = 0.5 * SECOND;
/** How long the outcome of a commit is looked for. */
const LOOKUP_TIMEOUT = 12 * SECOND;
/** The longest timeout of a timer. */
const NEVER = 2 ** 31 - 1;

/** disk_full, read_only_sql_transaction, io_error and query_canceled (PostgreSQL, Appendix A). */
const FULL = '53100';
const READ_ONLY = '25006';
const INPUT_OUTPUT = '58030';
const CANCELED = '57014';

/** Out of memory, shared memory included: the locks of ended transactions fill it until the oldest open one ends. */
const OUT_OF_MEMORY = '53200';

/** Insufficient resources, and program limit exceeded: the server cannot carry it out now. */
const OUT_OF_RESOURCES = /^5[34]/;

/** True when the server is read-only: its disk, or a standby. */
const isReadOnly = (error: unknown, text: string): boolean =>
  error instanceof pg.DatabaseError &&
  (error.code === READ_ONLY || (error.code === INPUT_OUTPUT && !/^select/i.test(text)));

/**
 * What every connection asks of the server: to notice within seconds that this side is gone, which frees its locks. To
 * compile a statement of a search takes ten times as long as to run it.
 */
const SESSION_OPTIONS =
  '-c jit=off -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3 -c tcp_user_timeout=10000';

const unlimited = new AsyncLocalStorage<true>();

/** Runs `work` without a limit for its statements: migrations and copies, which may take minutes. */
export const withoutTimeLimit = <T>(work: () => Promise<T>): Promise<T> => unlimited.run(true, work);

/**
 * Opens PostgreSQL through `pg`. 64-bit integers become numbers, and throw if they do not fit. Errors: a lost
 * connection is UNAVAILABLE, a full disk QUOTA, a read-only one READ_ONLY. `name` identifies the connections of this
 * process at the server.
 */
export function openPostgres(
  connectionString: string,
  { name = 'portal', answerTimeout = ANSWER_TIMEOUT }: { name?: string; answerTimeout?: number } = {},
): Kysely<Tables> {
  const safeInteger = (text: string): number => {
    const value = Number(text);
    if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit a number`);
    return value;
  };
  const types = new pg.TypeOverrides();
  types.setTypeParser(BIGINT, safeInteger);
  const pool = new pg.Pool({
    connectionString,
    max: MAX_CONNECTIONS,
    types,
    application_name: name,
    connectionTimeoutMillis: TIMEOUT,
    lock_timeout: TIMEOUT,
    statement_timeout: STATEMENT_TIMEOUT,
    query_timeout: answerTimeout,
    idle_in_transaction_session_timeout: IDLE_TIMEOUT,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10 * SECOND,
    options: SESSION_OPTIONS,
  });
  // attached at once: an error event may come just after a connection has left the pool
  pool.on('connect', (client) =>
    client.on('error', (error) => log.warn({ event: 'database.connection-lost', err: error })),
  );
  pool.on('error', () => undefined); // an idle connection, logged above: the pool replaces it when needed
  const connect = async () => new Connection(pool, await acquire(pool));
  const portalPool = { connect, end: () => pool.end(), options: pool.options } as unknown as pg.Pool;
  return new Kysely<Tables>({ dialect: new PortalPostgres({ pool: portalPool }) });
}

/** Hides the table that belongs to this database alone, and to no copy of it. */
class PortalPostgres extends PostgresDialect {
  override createIntrospector(database: Kysely<unknown>): PostgresIntrospector {
    return new (class extends PostgresIntrospector {
      override async getTables(options?: DatabaseMetadataOptions): Promise<TableMetadata[]> {
        return (await super.getTables(options)).filter(({ name }) => name !== 'transaction_outcomes');
      }
    })(database);
  }
}

type Rows<R> = pg.QueryResult<R & pg.QueryResultRow>;

/** How inTransaction begins; other transactions, such as those of migrations, have no recorded outcome. */
const RECORDED = /^start transaction isolation level serializable/;

/** The state of the open transaction of a connection. */
interface OpenTransaction {
  isRecorded: boolean;
  hasWritten: boolean;
}

/**
 * A connection of the pool as Kysely uses it, with the errors of the portal. A read that meets a lost connection is
 * retried on another one. A transaction whose connection was lost before its commit was rolled back, so it may run
 * again; after a lost commit, the outcome is looked up (docs/decisions/0082).
 */
class Connection {
  readonly #pool: pg.Pool;
  #client: pg.PoolClient;
  #transaction: OpenTransaction | undefined;
  #isLost = false;

  constructor(pool: pg.Pool, client: pg.PoolClient) {
    this.#pool = pool;
    this.#client = client;
  }

  release(): void {
    this.#client.release(this.#isLost);
  }

  async query<R>(text: string, values: readonly unknown[]): Promise<Rows<R>> {
    // the server rolls back what a lost connection had begun; an error here would replace the one that says so
    if (this.#isLost && /^(rollback$|select pg_advisory_unlock)/.test(text)) return EMPTY;
    if (/^(begin|start transaction)/.test(text))
      this.#transaction = { isRecorded: RECORDED.test(text), hasWritten: false };
    else if (text === 'commit') return this.#commit();
    else if (this.#transaction && !/^(select|rollback|savepoint|release)/i.test(text))
      this.#transaction.hasWritten = true;
    const stored = isIntrospection(text) ? [...values] : values.map(assertStorableValue);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const result = await this.#send<R>(text, stored);
        if (text === 'rollback') this.#transaction = undefined;
        return result;
      } catch (error) {
        if (!isConnectionLost(error)) throw portalError(error, text);
        log.warn({ event: 'database.unavailable', err: error });
        const isRead = /^select/i.test(text);
        if (this.#transaction || attempt === MAX_CONNECTIONS || !isRead || isRefusal(error)) {
          this.#isLost = !isRefusal(error);
          throw new ConnectionLostError(
            this.#transaction ? 'rolled back' : isRead || isRefusal(error) ? 'nothing done' : 'unknown',
          );
        }
        this.#client.release(true);
        this.#client = await acquire(this.#pool);
      }
    }
  }

  /**
   * Commits, together with a row by which the outcome can be told when the answer is lost. What wrote nothing may simply
   * run again.
   */
  async #commit(): Promise<Rows<never>> {
    const { isRecorded = false, hasWritten = true } = this.#transaction ?? {};
    this.#transaction = undefined;
    const outcomeId = randomUUID();
    const record = isRecorded && hasWritten;
    try {
      const result = await this.#send<never>(record ? `${recordOf(outcomeId)}; commit` : 'commit', []);
      return [result].flat().at(-1) ?? EMPTY;
    } catch (error) {
      if (!isConnectionLost(error)) throw portalError(error, 'commit');
      log.warn({ event: 'database.unavailable', err: error });
      this.#isLost = true;
      if (!hasWritten) throw new ConnectionLostError('rolled back');
      const outcome = record ? await outcomeOf(this.#pool, outcomeId) : 'unknown';
      log.warn({ event: 'database.commit-lost', outcome });
      if (outcome === 'committed') return { ...EMPTY, command: 'COMMIT' };
      throw new ConnectionLostError(outcome);
    }
  }

  /** Sends a statement, with the time limit that holds for it. */
  async #send<R>(text: string, values: readonly unknown[]): Promise<Rows<R>> {
    const isUnlimited = unlimited.getStore() ?? false;
    if (isUnlimited !== withoutLimit.has(this.#client)) {
      await this.#client.query(`set statement_timeout = ${isUnlimited ? 0 : STATEMENT_TIMEOUT}`);
      if (isUnlimited) withoutLimit.add(this.#client);
      else withoutLimit.delete(this.#client);
    }
    if (!isUnlimited) return this.#client.query<R & pg.QueryResultRow>(text, [...values]);
    const patient = { text, values: [...values], query_timeout: NEVER };
    return this.#client.query<R & pg.QueryResultRow>(patient);
  }
}

/** Connections whose statements have no time limit at the moment. */
const withoutLimit = new WeakSet<pg.PoolClient>();

const EMPTY: Rows<never> = { command: 'ROLLBACK', rowCount: 0, oid: 0, fields: [], rows: [] };

const DATABASE_TIME = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** The statement by which a transaction records that it was committed. */
const recordOf = (outcomeId: string): string =>
  `insert into transaction_outcomes (outcome_id, committed, at) values ('${outcomeId}', 1, ${DATABASE_TIME})`;

/**
 * Decides, on another connection, whether a transaction was committed. If its row is not there yet, one is put in its
 * place, so that the transaction can no longer be committed; while it is being committed, this waits for it.
 */
async function outcomeOf(pool: pg.Pool, outcomeId: string): Promise<'committed' | 'rolled back' | 'unknown'> {
  const deadline = performance.now() + LOOKUP_TIMEOUT;
  do {
    let client: pg.PoolClient | undefined;
    try {
      client = await pool.connect();
      const { rowCount } = await client.query(
        `insert into transaction_outcomes (outcome_id, committed, at) values ($1, 0, ${DATABASE_TIME}) on conflict do nothing`,
        [outcomeId],
      );
      if (rowCount === 1) return 'rolled back';
      const { rows } = await client.query<{ committed: number }>(
        'select committed from transaction_outcomes where outcome_id = $1',
        [outcomeId],
      );
      return rows[0]?.committed === 1 ? 'committed' : 'rolled back';
    } catch (error) {
      log.warn({ event: 'database.outcome-not-read', err: error });
      client?.release(true);
      client = undefined;
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_DELAY));
    } finally {
      client?.release();
    }
  } while (performance.now() < deadline);
  return 'unknown';
}

/** The error of the portal for one of the server. */
function portalError(error: unknown, text: string): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  const { code = '' } = error;
  if (code === FULL) {
    log.error({ event: 'database.full', err: error });
    return new PortalError('QUOTA');
  }
  if (isReadOnly(error, text)) {
    log.error({ event: 'database.read-only', err: error });
    return new PortalError('READ_ONLY');
  }
  if (code === OUT_OF_MEMORY) {
    log.warn({ event: 'database.out-of-resources', err: error });
    return new OutOfMemoryError();
  }
  if (OUT_OF_RESOURCES.test(code) || code === CANCELED) {
    log.error({ event: code === CANCELED ? 'database.too-slow' : 'database.out-of-resources', err: error });
    return new PortalError('UNAVAILABLE', { retryAfter: 10 });
  }
  return error;
}

/** Takes a connection from the pool. */
const acquire = (pool: pg.Pool): Promise<pg.PoolClient> =>
  pool.connect().catch((error: unknown) => {
    if (!isConnectionLost(error)) throw portalError(error, '');
    log.warn({ event: 'database.unavailable', err: error });
    throw new ConnectionLostError('nothing done');
  });

/**
 * The connection to the database was lost. A transaction that was `rolled back` may run again. After an `unknown`
 * outcome nobody is told to try again: it may have been done.
 */
class ConnectionLostError extends PortalError {
  readonly outcome: 'nothing done' | 'rolled back' | 'unknown';

  constructor(outcome: 'nothing done' | 'rolled back' | 'unknown') {
    super('UNAVAILABLE', outcome === 'unknown' ? { outcome } : { retryAfter: 1 });
    this.outcome = outcome;
  }
}

/** The server had no memory for a statement. Its transaction was rolled back, and may succeed a moment later. */
class OutOfMemoryError extends PortalError {
  constructor() {
    super('UNAVAILABLE', { retryAfter: 10 });
  }
}

/** True for Kysely's schema introspection, which has a boolean parameter. */
const isIntrospection = (text: string): boolean => text.includes('"pg_catalog"');

/** Rejects values that PostgreSQL would not store as they are: text with NUL, booleans and objects. */
function assertStorableValue(value: unknown): unknown {
  if (typeof value === 'string' && value.includes('\0')) throw new PortalError('INVALID');
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

/**
 * SQLSTATE of connection exceptions, too many connections, shutdown or startup, a transaction that was idle for too long,
 * and lock timeout.
 */
const CONNECTION_LOST = /^(08|53300|57P0|25P03|55P03)/;

/** Errors of the server have a SQLSTATE; a plain Error of the driver or system means it is unreachable. */
const isConnectionLost = (error: unknown): boolean =>
  error instanceof pg.DatabaseError
    ? CONNECTION_LOST.test(error.code ?? '')
    : error instanceof Error && (error.name === 'Error' || error.name === 'AggregateError');

/** True when the server has refused a statement, such as one that waited too long for a lock. */
const isRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^(53300|55P03)/.test(error.code ?? '');

/**
 * True when a transaction met another one: a serialization failure, a deadlock, or no memory for its locks. It was rolled
 * back.
 */
export const isConflict = (error: unknown): boolean =>
  error instanceof OutOfMemoryError ||
  (error instanceof pg.DatabaseError && (error.code === '40001' || error.code === '40P01'));

/** True when the connection of a transaction was lost before its commit: it was rolled back. */
export const isRolledBack = (error: unknown): boolean =>
  error instanceof ConnectionLostError && error.outcome === 'rolled back';

/**
 * Calls `onMessage` for each notification of `channel`, and whenever one may have been missed. Uses its own
 * connection and reconnects. Returns the function to stop it.
 */
export function listenTo(
  connectionString: string,
  channel: string,
  onMessage: () => void,
): () => Promise<void> {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  const connect = async (): Promise<void> => {
    const connecting = new pg.Client({
      connectionString,
      connectionTimeoutMillis: TIMEOUT,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10 * SECOND,
      options: SESSION_OPTIONS,
    });
    client = connecting;
    const reconnect = (): void => {
      if (ended || client !== connecting) return;
      client = undefined;
      timer = setTimeout(() => void connect(), RECONNECT_DELAY).unref();
    };
    connecting.on('error', (error) => log.warn({ event: 'database.connection-lost', err: error }));
    connecting.on('end', reconnect);
    connecting.on('notification', onMessage);
    try {
      await connecting.connect();
      await connecting.query(`listen ${channel}`);
      onMessage();
    } catch (error) {
      log.warn({ event: 'database.not-listening', err: error });
      await connecting.end().catch(() => undefined); // it was never connected
      reconnect();
    }
  };
  void connect();
  return async () => {
    ended = true;
    clearTimeout(timer);
    await client?.end().catch(() => undefined); // already closed
  };
}
