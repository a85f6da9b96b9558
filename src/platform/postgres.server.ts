import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Tables } from './schema.server.ts';

const BIGINT = 20;
const MOST_CONNECTIONS = 10;

/** PostgreSQL through `pg`; a 64-bit integer arrives as a number, and one that would not fit is an error. */
export function openPostgres(connectionString: string): Kysely<Tables> {
  const safeInteger = (text: string): number => {
    const value = Number(text);
    if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit a number`);
    return value;
  };
  const types = new pg.TypeOverrides();
  types.setTypeParser(BIGINT, safeInteger);
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString, max: MOST_CONNECTIONS, types }) }) });
}
