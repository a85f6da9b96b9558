import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SECOND } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { CHECKPOINT_PAGES } from '#platform/database/checkpoints.server.ts';
import { db, inTransaction, outsideTransaction } from '#platform/database/database.server.ts';
import { apiAs } from '../support/api.ts';
import { makeCast } from '../support/cast.ts';
import { GRACE } from '../support/whole.ts';

const { ada, clientA, projectA } = await makeCast();

/**
 * Holds the write lock from another process for some time. Resolves when it has the lock; `ended` when it
 * released it.
 */
async function lockedFor(milliseconds: number): Promise<{ ended: Promise<unknown> }> {
  const script = `
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(process.env.FILE);
    database.exec('pragma busy_timeout=5000; begin immediate');
    process.stdout.write('held');
    setTimeout(() => database.exec('rollback'), ${milliseconds});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, FILE: path.join(config.dataDir, 'portal.db') },
  });
  await once(child.stdout, 'data');
  return { ended: once(child, 'exit') };
}
const set = (name: string) => db().insertInto('settings').values({ name, value: 'x' }).execute();
const names = async () =>
  (await db().selectFrom('settings').select('name').execute()).map(({ name }) => name);

test('a statement waits for a lock that another process holds for a second', async () => {
  const { ended } = await lockedFor(SECOND);
  await inTransaction(() => set('waited'));
  expect(await names()).toContain('waited');
  await ended;
});

test('a lasting lock gives 503 with Retry-After, and the request has no effect', async () => {
  const { ended } = await lockedFor(8 * SECOND);
  const began = performance.now();
  const answer = await apiAs(ada)('POST', '/api/storage/v1/folders', {
    json: { parentType: 'Project', parentId: projectA.id, name: 'Locked out' },
  });
  expect(performance.now() - began).toBeLessThan(5.5 * SECOND + GRACE);
  expect(answer.status).toBe(503);
  expect(answer.headers.get('Retry-After')).toBe('1');
  expect(await answer.json()).toMatchObject({ errors: [{ code: 'UNAVAILABLE' }] });
  await ended;
  expect(
    (await db().selectFrom('containers').select('name').execute()).map(({ name }) => name),
  ).not.toContain('Locked out');
  await set('afterwards');
  expect(await names()).toContain('afterwards');
});

test('while another process holds the lock, and while a transaction is open, reads do not wait', async () => {
  const documents = () => apiAs(ada)('GET', `/api/storage/v1/containers/documents?clientId=${clientA}`);
  await documents();
  const { ended } = await lockedFor(4 * SECOND);
  const waiting = set('written after the lock');
  for (let times = 0; times < 5; times += 1) expect((await documents()).status).toBe(200);
  expect(await names(), 'the lock is still held').not.toContain('written after the lock');
  await waiting;
  expect(await names(), 'what was written is read').toContain('written after the lock');
  await ended;

  const gate = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const open = inTransaction(async () => {
    await set('in a transaction');
    expect(await names(), 'a transaction reads what it wrote').toContain('in a transaction');
    written.resolve();
    await gate.promise;
  });
  await written.promise;
  expect(await names(), 'others do not read it yet').not.toContain('in a transaction');
  const recursive = sql<{ i: number }>`
    with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < 2) select i from numbers`;
  expect((await recursive.execute(db())).rows).toEqual([{ i: 1 }, { i: 2 }]);
  gate.resolve();
  await open;
  expect(await names()).toContain('in a transaction');
});

test('what reads beside an open transaction knows a changed schema', async () => {
  const read = (column: string) =>
    sql<Record<string, unknown>>`select ${sql.raw(column)} from lists`.execute(db()).then(({ rows }) => rows);
  await sql`create table lists (name text)`.execute(db());
  await sql`insert into lists values ('first')`.execute(db());
  await inTransaction(async () => {
    const beside = outsideTransaction(() => read('*'));
    expect(await beside).toEqual([{ name: 'first' }]);
  });
  await sql`alter table lists add column size integer default 3`.execute(db());
  await inTransaction(async () => {
    expect(await outsideTransaction(() => read('*'))).toEqual([{ name: 'first', size: 3 }]);
  });
});

test('a full database refuses writes with 507, keeps its data, and continues when there is space', async () => {
  const pages = async (most: string): Promise<unknown> =>
    (await sql`pragma max_page_count=${sql.raw(most)}`.execute(db())).rows;
  const add = (name: string) =>
    apiAs(ada)('POST', '/api/storage/v1/folders', {
      json: { parentType: 'Project', parentId: projectA.id, name },
    });
  await sql`pragma wal_checkpoint(truncate)`.execute(db());
  await pages('1'); // as few as there are
  const statuses: number[] = [];
  while (statuses.at(-1) !== 507 && statuses.length < 2000)
    statuses.push((await add(`Folder ${statuses.length} ${'x'.repeat(100)}`)).status);
  expect(statuses.at(-1)).toBe(507);
  expect(statuses.slice(0, -1).filter((status) => status !== 200)).toEqual([]);
  await expect(inTransaction(() => set('x'.repeat(1_000_000)))).rejects.toMatchObject({ code: 'QUOTA' });
  expect((await apiAs(ada)('GET', '/api/storage/v1/containers')).status).toBeLessThan(500);
  await pages('4294967294');
  expect((await add('After all')).status).toBe(200);
});

test('a long log is moved into the database by a thread, after the commit', async () => {
  const watching = new DatabaseSync(path.join(config.dataDir, 'portal.db'));
  const state = watching.prepare('pragma wal_checkpoint(noop)');
  state.setReturnArrays(true);
  const unmoved = (): number => {
    const [[, pages, moved] = []] = state.all() as unknown as (readonly number[])[];
    return (pages ?? 0) - (moved ?? 0);
  };
  const page = 'x'.repeat(4000);
  await inTransaction(async () => {
    for (let at = 0; at < CHECKPOINT_PAGES; at += 1)
      await db()
        .insertInto('settings')
        .values({ name: `page ${at}`, value: page })
        .execute();
  });
  expect(unmoved()).toBeGreaterThan(CHECKPOINT_PAGES);
  await expect.poll(unmoved, { timeout: 10 * SECOND }).toBe(0);
  watching.close();
});
