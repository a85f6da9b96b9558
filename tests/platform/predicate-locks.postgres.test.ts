import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { startOwnPostgres } from '../../scripts/services.mjs';
import { GRACE } from '../support/whole.ts';

/*
 * A server with little room for the locks of serializable transactions, which it keeps while an older one is open: a
 * cluster for this file, so modules are imported when its address is known.
 */
const cluster = await startOwnPostgres(['max_connections=20', 'max_pred_locks_per_transaction=10']);
process.env['DATABASE_URL'] = cluster.url;
const { SECOND } = await import('#platform/runtime/clock.server.ts');
const { closeDatabase, db, inTransaction } = await import('#platform/database/database.server.ts');
const { apiAs } = await import('../support/api.ts');
const { makeCast } = await import('../support/cast.ts');
const { ada, clientA } = await makeCast();

const clients: pg.Client[] = [];
const connect = async (): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: cluster.url });
  clients.push(client);
  await client.connect();
  return client;
};
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await closeDatabase();
  await cluster.stop();
});

const ROWS = 200_000;
const other = await connect();
await other.query(`create table numbers (number int primary key, filler text)`);
await other.query(`insert into numbers select n, repeat('x', 300) from generate_series(1, ${ROWS}) n`);

let next = 0;
/** A number whose page nobody has read. */
const fresh = (): number => (next += 997) % ROWS;

/** Opens a serializable transaction, and fills the room for locks with those of transactions that end meanwhile. */
async function fillRoom(): Promise<{ end: () => Promise<unknown> }> {
  const open = await connect();
  await open.query('begin isolation level serializable');
  await open.query('select count(*) from settings');
  const read = async (): Promise<boolean> => {
    await other.query('begin isolation level serializable');
    try {
      for (let i = 0; i < 4; i += 1)
        await other.query('select filler from numbers where number = $1', [fresh()]);
      await other.query('update numbers set filler = $1 where number = $2', ['y', fresh()]);
      await other.query('commit');
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: '53200' });
      await other.query('rollback');
      return false;
    }
  };
  while (await read());
  return { end: () => open.query('commit') };
}

/** A transaction of the portal that needs room, and what happens before each of its tries. */
async function act(name: string, before: (tries: number) => Promise<unknown>): Promise<number> {
  let tries = 0;
  await inTransaction(async () => {
    tries += 1;
    await before(tries);
    for (let i = 0; i < 10; i += 1)
      await sql`select filler from numbers where number = ${fresh()}`.execute(db());
    await db().insertInto('settings').values({ name, value: 'x' }).execute();
  });
  return tries;
}

test('reading lists and documents takes no room, whatever else is open', async () => {
  const open = await connect();
  await open.query('begin isolation level serializable');
  await open.query('select count(*) from settings');
  const locks = async (): Promise<unknown> =>
    (await open.query(`select count(*) from pg_locks where mode = 'SIReadLock'`)).rows;
  const before = await locks();
  for (const path of [
    `/api/storage/v1/containers/documents?clientId=${clientA}`,
    `/api/storage/v1/containers?clientId=${clientA}`,
    '/api/client-center/v1/clients/',
  ])
    expect((await apiAs(ada)('GET', path)).status, path).toBeLessThan(300);
  expect(await locks()).toEqual(before);
  await open.query('commit');
});

test('a transaction that finds no room for its locks runs again, and succeeds as soon as the oldest one has ended', async () => {
  const room = await fillRoom();
  expect(await act('later', async (tries) => tries === 3 && room.end())).toBe(3);
});

test('when there is no room in time, it is refused as unavailable, and nothing was done', async () => {
  const room = await fillRoom();
  const began = performance.now();
  await expect(act('never', () => Promise.resolve())).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    details: { retryAfter: 1 },
  });
  expect(performance.now() - began).toBeLessThan(7 * SECOND + GRACE);
  await room.end();
  expect(await db().selectFrom('settings').select('name').where('name', '=', 'never').execute()).toEqual([]);
});
