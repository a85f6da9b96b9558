import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { SECOND } from './clock.server.ts';
import { PortalError } from './errors.server.ts';
import { log } from './log.server.ts';
import type { Tables } from './schema.server.ts';

const BIGINT = 20;
const MOST_CONNECTIONS = 10;
/** As long as SQLite waits for its lock: for a free connection, for a new one, and for a row that another transaction holds. */
const PATIENCE = 5 * SECOND;
const LISTEN_AGAIN = 0.5 * SECOND;

/** disk_full (PostgreSQL, Appendix A). */
const FULL = '53100';

/** PostgreSQL through `pg`; a 64-bit integer arrives as a number, and one that would not fit is an error. A lost connection is UNAVAILABLE, a full disk QUOTA. */
export function openPostgres(connectionString: string): Kysely<Tables> {
  const safeInteger = (text: string): number => {
    const value = Number(text);
    if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit a number`);
    return value;
  };
  const types = new pg.TypeOverrides();
  types.setTypeParser(BIGINT, safeInteger);
  const pool = new pg.Pool({ connectionString, max: MOST_CONNECTIONS, types, connectionTimeoutMillis: PATIENCE, lock_timeout: PATIENCE, keepAlive: true });
  // Listened to from its first moment on: whoever is lent a connection has it a moment after it went out of the pool's sight.
  pool.on('connect', (client) => client.on('error', (error) => log.warn({ event: 'database.connection-lost', err: error })));
  pool.on('error', () => undefined); // an idle one, logged above: the pool makes another when it is needed
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: speakingOurErrors(pool) }) });
}

/**
 * The pool as Kysely wants it, with errors that tell a lost database from a wrong statement. A statement that only reads and met a lost
 * connection is asked again on another one; what a transaction did before its commit was undone, so that its work may run again.
 */
function speakingOurErrors(pool: pg.Pool) {
  const connect = async () => {
    let client = await lend(pool);
    let inTransaction = false;
    const query = async <R>(text: string, values: readonly unknown[]): Promise<pg.QueryResult<R & pg.QueryResultRow>> => {
      if (/^(begin|start transaction)/i.test(text)) inTransaction = true;
      for (let tries = 1; ; tries += 1) {
        try {
          return await client.query(text, ofKysely(text) ? [...values] : values.map(storable));
        } catch (error) {
          if (error instanceof pg.DatabaseError && error.code === FULL) {
            log.error({ event: 'database.full', err: error });
            throw new PortalError('QUOTA');
          }
          if (!isLost(error)) throw error;
          log.warn({ event: 'database.unavailable', err: error });
          if (inTransaction || tries === MOST_CONNECTIONS || !/^select/i.test(text)) throw new Lost(inTransaction && !/^commit/i.test(text));
          client.release(true);
          client = await lend(pool);
        }
      }
    };
    return { query, release: () => client.release() };
  };
  return { connect, end: () => pool.end(), options: pool.options } as unknown as pg.Pool;
}

/** A connection of the pool. */
const lend = (pool: pg.Pool): Promise<pg.PoolClient> =>
  pool.connect().catch((error: unknown) => {
    if (!isLost(error)) throw error;
    log.warn({ event: 'database.unavailable', err: error });
    throw new Lost(false);
  });

/** The database went away. `undone`: in the middle of a transaction, of which nothing has happened. */
class Lost extends PortalError {
  readonly undone: boolean;

  constructor(undone: boolean) {
    super('UNAVAILABLE', { retryAfter: 1 });
    this.undone = undone;
  }
}

/** What Kysely asks about the tables; it asks with a boolean. */
const ofKysely = (text: string): boolean => text.includes('"pg_catalog"');

/** PostgreSQL has no text with a NUL in it, and turns a boolean or an object into a text of its own choice. */
function storable(value: unknown): unknown {
  if (typeof value === 'string' && value.includes('\0')) throw new PortalError('INVALID');
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' || value instanceof Uint8Array) return value;
  throw new TypeError(`A ${typeof value} cannot be stored: give text, a number or null.`);
}

/** SQLSTATE: connection exceptions, too many connections, shutting down or starting up, a lock that was not let go in time. */
const LOST = /^(08|53300|57P0|55P03)/;

/** What the server says has a SQLSTATE; a bare Error of the driver or a system error means that it cannot be reached. */
const isLost = (error: unknown): boolean => (error instanceof pg.DatabaseError ? LOST.test(error.code ?? '') : error instanceof Error && (error.name === 'Error' || error.name === 'AggregateError'));

/** True when a transaction was undone without a fault of its own, so that it may be tried again: serialization failure, deadlock, or its connection was lost. */
export const wasUndone = (error: unknown): boolean => (error instanceof pg.DatabaseError && (error.code === '40001' || error.code === '40P01')) || (error instanceof Lost && error.undone);

/**
 * Calls `heard` when somebody notifies `channel`, and after each time that something may have been missed. On a connection of its own,
 * made anew when it is lost. Answers the function that ends it.
 */
export function listenTo(connectionString: string, channel: string, heard: () => void): () => Promise<void> {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  const connect = async (): Promise<void> => {
    const mine = new pg.Client({ connectionString, connectionTimeoutMillis: PATIENCE, keepAlive: true });
    client = mine;
    const lost = (): void => {
      if (ended || client !== mine) return;
      client = undefined;
      timer = setTimeout(() => void connect(), LISTEN_AGAIN).unref();
    };
    mine.on('error', (error) => log.warn({ event: 'database.connection-lost', err: error }));
    mine.on('end', lost);
    mine.on('notification', heard);
    try {
      await mine.connect();
      await mine.query(`listen ${channel}`);
      heard();
    } catch (error) {
      log.warn({ event: 'database.not-listening', err: error });
      await mine.end().catch(() => undefined); // it was never there
      lost();
    }
  };
  void connect();
  return async () => {
    ended = true;
    clearTimeout(timer);
    await client?.end().catch(() => undefined); // it is gone already
  };
}
