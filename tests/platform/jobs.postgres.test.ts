import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { SECOND } from '#platform/runtime/clock.server.ts';
import { db, migrate } from '#platform/database/database.server.ts';
import { enqueue, registerJobHandler, startJobs, stopJobs } from '#platform/jobs/jobs.server.ts';

/*
 * Several processes on one database. A job without notification is found by polling, every five seconds:
 * anything faster was notified.
 */
const AT_ONCE = 3 * SECOND;

beforeAll(migrate);
afterEach(stopJobs);

/** Runs a script in another process, with `db`, `handle`, `enqueue` and `runDueJobs`; returns its output. */
async function elsewhere(script: string): Promise<string> {
  const module = (name: string) =>
    JSON.stringify(import.meta.resolve(`../../src/platform/${name}.server.ts`));
  const whole = `
    const { db, closeDatabase } = await import(${module('database/database')});
    const { enqueue, registerJobHandler, runDueJobs } = await import(${module('jobs/jobs')});
    ${script}
    await closeDatabase();`;
  return (
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', whole], {
      env: { ...process.env, DEMO: '' },
    })
  ).stdout;
}

/** The connections that listen for notifications. */
async function listeners(): Promise<number[]> {
  const { rows } = await sql<{
    pid: number;
  }>`select pid from pg_stat_activity where datname = current_database() and query = 'listen jobs'`.execute(
    db(),
  );
  return rows.map(({ pid }) => pid);
}

test('two worker processes run each job exactly once', async () => {
  await db().deleteFrom('jobs').where('kind', '=', 'raced').execute(); // of a run before
  await db().deleteFrom('settings').where('name', 'like', 'raced%').execute();
  for (let number = 0; number < 200; number += 1) await enqueue('raced', number);
  // A second run of a job would find its name taken, fail, and be retried.
  const script = `
    let done = 0;
    const ready = () => db().selectFrom('settings').select('name').where('name', 'like', 'raced by %').execute();
    await db().insertInto('settings').values({ name: 'raced by ' + process.pid, value: '' }).execute();
    while ((await ready()).length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    registerJobHandler('raced', async (number) => {
      await db().insertInto('settings').values({ name: 'raced ' + number, value: String(process.pid) }).execute();
      done += 1;
    });
    await Promise.all([runDueJobs(), runDueJobs(), runDueJobs()]);
    process.stdout.write(String(done));`;
  const done = await Promise.all([elsewhere(script), elsewhere(script)]);
  expect(done.map(Number).reduce((sum, count) => sum + count)).toBe(200);
  for (const count of done) expect(Number(count)).toBeGreaterThan(0);
  const rows = await db()
    .selectFrom('jobs')
    .select(['attempts', 'done_at'])
    .where('kind', '=', 'raced')
    .execute();
  expect(rows.filter(({ attempts, done_at }) => attempts === 1 && done_at !== null)).toHaveLength(200);
});

test('a job enqueued by another process starts at once, even after the notification connection was lost', async () => {
  const done: unknown[] = [];
  registerJobHandler('told', (payload) => {
    done.push(payload);
    return Promise.resolve();
  });
  startJobs();
  await expect.poll(listeners).toHaveLength(1);
  const [first] = await listeners();
  await elsewhere(`await enqueue('told', 'one');`);
  await expect.poll(() => done, { timeout: AT_ONCE }).toEqual(['one']);

  await sql`select pg_terminate_backend(${first}::int)`.execute(db());
  await expect
    .poll(async () => (await listeners()).filter((pid) => pid !== first), { timeout: AT_ONCE })
    .toHaveLength(1);
  await elsewhere(`await enqueue('told', 'two');`);
  await expect.poll(() => done, { timeout: AT_ONCE }).toEqual(['one', 'two']);
});
