import { createHash } from 'node:crypto';
import pg from 'pg';

const { TEST_DATABASE_URL: administrator, TEST_S3_URL: bucket } = process.env;

/**
 * A database and a bucket prefix of the test services (scripts/services.mjs) for one portal, as environment
 * variables. The same `name` gives the same ones. A new database is empty, or a copy of `template`. Empty
 * without services: SQLite and files.
 */
export async function ownPart(
  name: string,
  template = 'template0',
): Promise<{ DATABASE_URL?: string; BLOB_URL?: string }> {
  const part = `portal_${createHash('sha256').update(name).digest('hex').slice(0, 24)}`;
  return {
    ...(administrator && { DATABASE_URL: await databaseOf(administrator, part, template) }),
    ...(bucket && { BLOB_URL: prefixOf(bucket, part) }),
  };
}

async function databaseOf(url: string, name: string, template: string): Promise<string> {
  await connected(url, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${name} template ${template}`);
  });
  const own = new URL(url);
  own.pathname = name;
  return own.href;
}

function prefixOf(url: string, name: string): string {
  const own = new URL(url);
  own.pathname += `/${name}`;
  return own.href;
}

/** Runs SQL on a database and returns the rows of the last statement. */
export const askPostgres = (url: string, statements: string): Promise<Record<string, unknown>[]> =>
  connected(url, async (client) => {
    const answer = await client.query<Record<string, unknown>>(statements);
    return ([answer].flat().at(-1) ?? answer).rows;
  });

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}
