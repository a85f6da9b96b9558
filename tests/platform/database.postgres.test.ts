import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startOwnPostgres } from '../../scripts/services.mjs';
import { GRACE } from '../support/whole.ts';

/*
 * A PostgreSQL server that stops and restarts: a cluster for this file, so modules are imported when its
 * address is known.
 */
const cluster = await startOwnPostgres();
process.env['DATABASE_URL'] = cluster.url;
const { SECOND } = await import('#platform/runtime/clock.server.ts');
const { closeDatabase, db, inTransaction, ping } = await import('#platform/database/database.server.ts');
const { watchLog } = await import('#platform/monitoring/log.server.ts');
const { openPostgres } = await import('#platform/database/postgres.server.ts');
const { refusal } = await import('#platform/runtime/errors.server.ts');
const { apiAs } = await import('../support/api.ts');
const { makeCast } = await import('../support/cast.ts');

const { ada, clientA } = await makeCast();
const administrator = new pg.Client({ connectionString: cluster.url });
administrator.on('error', () => undefined); // it ends with the cluster

beforeAll(async () => void (await administrator.connect()));
afterAll(async () => {
  await closeDatabase();
  await cluster.stop();
});

const endConnections = () =>
  administrator.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
  );
const containers = () => apiAs(ada)('GET', `/api/storage/v1/containers/documents?clientId=${clientA}`);
const set = (name: string) => db().insertInto('settings').values({ name, value: 'x' }).execute();
const has = async (name: string) =>
  (await db().selectFrom('settings').select('name').where('name', '=', name).executeTakeFirst()) !==
  undefined;
/** Waits until every connection of the pool responds, at most a second. */
const allUp = () =>
  expect
    .poll(
      () =>
        Promise.all(Array.from({ length: 10 }, ping)).then(
          () => 'up',
          () => 'down',
        ),
      { timeout: SECOND + GRACE },
    )
    .toBe('up');

/**
 * A proxy before the database that ends the first connection at the moment it becomes ready, as an
 * administrator can.
 */
async function startEndingFirst(): Promise<{ url: string; stop: () => Promise<void> }> {
  const READY = Buffer.from('Z\0\0\0\x05I');
  const shutdown = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0';
  const ended = Buffer.concat([
    Buffer.from('E'),
    Buffer.from([0, 0, 0, shutdown.length + 4]),
    Buffer.from(shutdown),
  ]);
  const { hostname, port } = new URL(cluster.url);
  let isFirst = true;
  const server = createServer((near) => {
    const far = createConnection(Number(port), hostname);
    near.pipe(far);
    far.on('data', (chunk) => {
      const bytes = Buffer.from(chunk);
      if (!isFirst || !bytes.subarray(-READY.length).equals(READY)) return void near.write(bytes);
      isFirst = false;
      near.end(Buffer.concat([bytes, ended]));
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = new URL(cluster.url);
  address.port = String((server.address() as AddressInfo).port);
  return { url: address.href, stop: () => new Promise((resolve) => void server.close(() => resolve())) };
}

test('a database connection that closes while it is opened is replaced', async () => {
  const proxy = await startEndingFirst();
  const database = openPostgres(proxy.url);
  expect(
    await database.selectFrom('settings').select('name').where('name', '=', 'index-key').execute(),
  ).toHaveLength(1);
  await database.destroy();
  await proxy.stop();
});

test('statements are not compiled, which takes longer than the longest of a page', async () => {
  const { rows } = await sql<{ jit: string }>`show jit`.execute(db());
  expect(rows).toEqual([{ jit: 'off' }]);
});

test('a transaction whose connection is lost is rolled back and reported as UNAVAILABLE', async () => {
  const failing = inTransaction(async () => {
    await set('lost');
    await endConnections();
    await set('lost as well');
  });
  await expect(failing).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { retryAfter: 1 } });
  await allUp();
  expect([await has('lost'), await has('lost as well')]).toEqual([false, false]);
});

test('a transaction whose connection breaks is retried and completes once, and a read is retried', async () => {
  let runs = 0;
  await inTransaction(async () => {
    runs += 1;
    await set('twice begun');
    if (runs === 1) await endConnections();
    await set('ended once');
  });
  expect([runs, await has('twice begun'), await has('ended once')]).toEqual([2, true, true]);
  await endConnections();
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, number) =>
      number === 10 ? endConnections().then(() => 200) : (await containers()).status,
    ),
  );
  expect(new Set(answers)).toEqual(new Set([200]));
});

test('a transaction that others abort again and again is done, and a line says how often it was tried', async () => {
  const attempts: unknown[] = [];
  watchLog(
    (level, line) => void (line.event === 'database.contention' && attempts.push([level, line.attempts])),
  );
  let runs = 0;
  await inTransaction(async () => {
    runs += 1;
    await set('much wanted');
    if (runs > 6) return;
    throw Object.assign(new pg.DatabaseError('could not serialize access', 0, 'error'), { code: '40001' });
  });
  expect([runs, await has('much wanted')]).toEqual([7, true]);
  expect(attempts).toEqual([['warn', 4]]);
});

test('repeatedly lost connections are reopened, and acknowledged writes are preserved', async () => {
  const kept: string[] = [];
  let refused = 0;
  for (let round = 0; round < 10; round += 1) {
    const writes = Array.from({ length: 20 }, (_, number) => `round ${round} write ${number}`).map((name) =>
      set(name).then(
        () => kept.push(name),
        (error: unknown) => {
          expect(refusal(error)?.code).toBe('UNAVAILABLE');
          refused += 1;
        },
      ),
    );
    await Promise.all([...writes, endConnections()]);
  }
  await allUp();
  expect(kept.length + refused).toBe(200);
  expect(kept.length).toBeGreaterThan(0);
  for (const name of kept) expect(await has(name)).toBe(true);
});

test('while the database is down calls return 503 with Retry-After, and they succeed within a second of its return', async () => {
  expect((await containers()).status).toBe(200);
  await cluster.halt();
  const began = performance.now();
  for (let times = 0; times < 3; times += 1) {
    const answer = await containers();
    expect(answer.status).toBe(503);
    expect(answer.headers.get('Retry-After')).toBe('1');
    expect(await answer.json()).toEqual({
      errors: [{ code: 'UNAVAILABLE', reason: 'UNAVAILABLE', retryAfter: 1 }],
    });
  }
  expect(performance.now() - began).toBeLessThan(5.5 * SECOND + GRACE);
  await cluster.resume();
  await expect
    .poll(async () => (await containers()).status, { timeout: SECOND + GRACE, interval: 50 })
    .toBe(200);
});

test('a full disk of the database server gives QUOTA, and the next request tries again', async () => {
  await sql`create function full_disk() returns trigger language plpgsql as $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(
    db(),
  );
  await sql`create trigger full_disk before insert on settings for each row execute function full_disk()`.execute(
    db(),
  );
  await expect(inTransaction(() => set('too much'))).rejects.toMatchObject({ code: 'QUOTA' });
  await sql`drop function full_disk cascade`.execute(db());
  await set('room again');
  expect([await has('too much'), await has('room again')]).toEqual([false, true]);
});
