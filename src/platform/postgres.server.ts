import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { SECOND } from './clock.server.ts';
import { PortalError } from './errors.server.ts';
import { log } from './log.server.ts';
import type { Tables } from './schema.server.ts';

const BIGINT = 20;
const MAX_CONNECTIONS = 10;
/** The same timeout as SQLite's lock: for a free connection, a new one, or a locked row. */
const TIMEOUT = 5 * SECOND;
const RECONNECT_DELAY = 0.5 * SECOND;

/** disk_full, read_only_sql_transaction and io_error (PostgreSQL, Appendix A). */
const FULL = '53100';
const READ_ONLY = '25006';
const INPUT_OUTPUT = '58030';

/** True when the server is read-only: its disk, or a standby. */
const isReadOnly = (error: unknown, text: string): boolean =>
  error instanceof pg.DatabaseError &&
  (error.code === READ_ONLY || (error.code === INPUT_OUTPUT && !/^select/i.test(text)));

/**
 * Opens PostgreSQL through `pg`. 64-bit integers become numbers, and throw if they do not fit. Errors: a lost
 * connection is UNAVAILABLE, a full disk QUOTA, a read-only one READ_ONLY.
 */
export function openPostgres(connectionString: string): Kysely<Tables> {
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
    connectionTimeoutMillis: TIMEOUT,
    lock_timeout: TIMEOUT,
    keepAlive: true,
    // to compile a statement of a search takes ten times as long as to run it
    options: '-c jit=off',
  });
  // attached at once: an error event may come just after a connection has left the pool
  pool.on('connect', (client) =>
    client.on('error', (error) => log.warn({ event: 'database.connection-lost', err: error })),
  );
  pool.on('error', () => undefined); // an idle connection, logged above: the pool replaces it when needed
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: withPortalErrors(pool) }) });
}

/**
 * Wraps the pool for Kysely and maps its errors. A read that meets a lost connection is retried on another
 * one. A transaction whose connection was lost before its commit was rolled back, so it may run again.
 */
function withPortalErrors(pool: pg.Pool) {
  const connect = async () => {
    let client = await acquire(pool);
    let inTransaction = false;
    const query = async <R>(
      text: string,
      values: readonly unknown[],
    ): Promise<pg.QueryResult<R & pg.QueryResultRow>> => {
      if (/^(begin|start transaction)/i.test(text)) inTransaction = true;
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await client.query(
            text,
            isIntrospection(text) ? [...values] : values.map(assertStorableValue),
          );
        } catch (error) {
          if (error instanceof pg.DatabaseError && error.code === FULL) {
            log.error({ event: 'database.full', err: error });
            throw new PortalError('QUOTA');
          }
          if (isReadOnly(error, text)) {
            log.error({ event: 'database.read-only', err: error });
            throw new PortalError('READ_ONLY');
          }
          if (!isConnectionLost(error)) throw error;
          log.warn({ event: 'database.unavailable', err: error });
          if (inTransaction || attempt === MAX_CONNECTIONS || !/^select/i.test(text))
            throw new ConnectionLostError(inTransaction && !/^commit/i.test(text));
          client.release(true);
          client = await acquire(pool);
        }
      }
    };
    return { query, release: () => client.release() };
  };
  return { connect, end: () => pool.end(), options: pool.options } as unknown as pg.Pool;
}

/** Takes a connection from the pool. */
const acquire = (pool: pg.Pool): Promise<pg.PoolClient> =>
  pool.connect().catch((error: unknown) => {
    if (!isConnectionLost(error)) throw error;
    log.warn({ event: 'database.unavailable', err: error });
    throw new ConnectionLostError(false);
  });

/** The connection to the database was lost. `rolledBack`: within a transaction, which has had no effect. */
class ConnectionLostError extends PortalError {
  readonly rolledBack: boolean;

  constructor(rolledBack: boolean) {
    super('UNAVAILABLE', { retryAfter: 1 });
    this.rolledBack = rolledBack;
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

/** SQLSTATE of connection exceptions, too many connections, shutdown or startup, and lock timeout. */
const CONNECTION_LOST = /^(08|53300|57P0|55P03)/;

/** Errors of the server have a SQLSTATE; a plain Error of the driver or system means it is unreachable. */
const isConnectionLost = (error: unknown): boolean =>
  error instanceof pg.DatabaseError
    ? CONNECTION_LOST.test(error.code ?? '')
    : error instanceof Error && (error.name === 'Error' || error.name === 'AggregateError');

/**
 * True when a transaction was rolled back and can be retried: serialization failure, deadlock, or lost
 * connection.
 */
export const isRetryable = (error: unknown): boolean =>
  (error instanceof pg.DatabaseError && (error.code === '40001' || error.code === '40P01')) ||
  (error instanceof ConnectionLostError && error.rolledBack);

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
    const connecting = new pg.Client({ connectionString, connectionTimeoutMillis: TIMEOUT, keepAlive: true });
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
