import pg from 'pg';

/** Creates an empty database in the cluster of this administrator, and returns its URL. */
export async function createDatabase(administrator: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: administrator });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(administrator);
  url.pathname = `/${name}`;
  return url.href;
}
