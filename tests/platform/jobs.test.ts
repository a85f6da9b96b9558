import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, test, vi } from 'vitest';
import { HOUR, MINUTE, moveClock, now, SECOND } from '#platform/runtime/clock.server.ts';
import { db, inTransaction, migrate } from '#platform/database/database.server.ts';
import { enqueue, registerJobHandler, runDueJobs, startJobs, stopJobs } from '#platform/jobs/jobs.server.ts';

beforeAll(migrate);

/** A job kind for this test, and the payloads it ran with. `fails` decides whether an attempt fails. */
function worker(kind: string, fails: (attempt: number) => boolean = () => false): unknown[] {
  const done: unknown[] = [];
  let attempt = 0;
  registerJobHandler(kind, (payload) => {
    attempt += 1;
    if (fails(attempt))
      return Promise.reject(Object.assign(new Error('the mail server is away'), { code: 'EAWAY' }));
    done.push(payload);
    return Promise.resolve();
  });
  return done;
}
const rowsOf = (kind: string) => db().selectFrom('jobs').selectAll().where('kind', '=', kind).execute();

test('a job runs once, and its payload is deleted', async () => {
  const done = worker('once');
  await enqueue('once', { to: 'nora@client.example' });
  await runDueJobs();
  await runDueJobs();
  moveClock(HOUR);
  await runDueJobs();
  expect(done).toEqual([{ to: 'nora@client.example' }]);
  expect(JSON.stringify(await rowsOf('once'))).not.toContain('nora');
});

test('a job of a rolled back transaction does not run', async () => {
  const done = worker('undone');
  const failing = inTransaction(async () => {
    await enqueue('undone', 1);
    throw new Error('it did not happen');
  });
  await expect(failing).rejects.toThrow('it did not happen');
  await runDueJobs();
  expect(done).toEqual([]);
  expect(await rowsOf('undone')).toEqual([]);
});

test('a job of a committed transaction runs', async () => {
  const done = worker('happened');
  await inTransaction(() => enqueue('happened', 1));
  await runDueJobs();
  expect(done).toEqual([1]);
});

test('a failed job is retried later and can succeed', async () => {
  const done = worker('flaky', (attempt) => attempt <= 3);
  await enqueue('flaky', 'x');
  await runDueJobs();
  expect(await rowsOf('flaky')).toMatchObject([{ attempts: 1, last_error: 'EAWAY', done_at: null }]);
  await runDueJobs();
  expect(await rowsOf('flaky')).toMatchObject([{ attempts: 1 }]);
  for (const pause of [5, 10]) {
    moveClock(pause * SECOND);
    await runDueJobs();
  }
  expect(done).toEqual([]);
  expect(await rowsOf('flaky')).toMatchObject([{ attempts: 3 }]);
  moveClock(20 * SECOND);
  await runDueJobs();
  expect(done).toEqual(['x']);
  expect(await rowsOf('flaky')).toMatchObject([{ attempts: 4, last_error: null }]);
});

test('a job that always fails does not block others and fails permanently in the end', async () => {
  worker('hopeless', () => true);
  const done = worker('hopeful');
  await enqueue('hopeless', 1);
  await enqueue('hopeful', 2);
  await runDueJobs();
  expect(done).toEqual([2]);
  for (let hours = 0; hours < 200; hours += 1) {
    moveClock(HOUR);
    await runDueJobs();
  }
  const [given_up] = await rowsOf('hopeless');
  expect(given_up?.done_at).not.toBeNull();
  expect(given_up?.last_error).toBe('EAWAY');
});

test('a job without a handler waits for a version that has one', async () => {
  await enqueue('of-a-newer-version', 1);
  await runDueJobs();
  const done = worker('of-a-newer-version');
  moveClock(5 * SECOND);
  await runDueJobs();
  expect(done).toEqual([1]);
});

test('a job with a known unique key is not enqueued again, even when it is done', async () => {
  const done = worker('unique');
  await enqueue('unique', 'first', 'the same');
  await enqueue('unique', 'second', 'the same');
  await inTransaction(() => enqueue('unique', 'third', 'the same'));
  await enqueue('unique', 'other', 'another');
  await runDueJobs();
  await enqueue('unique', 'late', 'the same');
  await runDueJobs();
  expect(done.toSorted()).toEqual(['first', 'other']);
});

test('jobs run in the order of their due times', async () => {
  const done = worker('ordered');
  for (const number of [1, 2, 3]) {
    await enqueue('ordered', number);
    moveClock(1);
  }
  await runDueJobs();
  expect(done).toEqual([1, 2, 3]);
});

test('two concurrent workers run each job once', async () => {
  const done = worker('shared');
  for (let number = 0; number < 30; number += 1) await enqueue('shared', number);
  await Promise.all([runDueJobs(), runDueJobs(), runDueJobs()]);
  expect(done.map(Number).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 30 }, (_, number) => number),
  );
});

test('a job whose worker died is taken over when its lease expires', async () => {
  await enqueue('killed', 'survivor');
  const script = `
    const { moveClock } = await import(${JSON.stringify(import.meta.resolve('../../src/platform/runtime/clock.server.ts'))});
    const { registerJobHandler, runDueJobs } = await import(${JSON.stringify(import.meta.resolve('../../src/platform/jobs/jobs.server.ts'))});
    moveClock(${now()} - Date.now());
    registerJobHandler('killed', async () => { process.kill(process.pid, 'SIGKILL'); await new Promise(() => undefined); });
    await runDueJobs();`;
  await expect(
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, DEMO: '' },
    }),
  ).rejects.toMatchObject({ signal: 'SIGKILL' });
  const done = worker('killed');
  expect(await rowsOf('killed')).toMatchObject([{ attempts: 1, done_at: null }]);
  await runDueJobs();
  expect(done).toEqual([]);
  moveClock(2 * MINUTE);
  await runDueJobs();
  expect(done).toEqual(['survivor']);
});

test('a worker that fails after another has finished its job does not reopen it', async () => {
  const slow = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const done: unknown[] = [];
  registerJobHandler('slow', (payload) => {
    done.push(payload);
    if (done.length > 1) return Promise.resolve();
    started.resolve();
    return slow.promise;
  });
  await enqueue('slow', 'x');
  const first = runDueJobs();
  await started.promise;
  moveClock(3 * MINUTE);
  await runDueJobs();
  expect(done).toEqual(['x', 'x']);
  slow.reject(new Error('the connection broke at last'));
  await first;
  moveClock(2 * HOUR);
  await runDueJobs();
  expect(done).toEqual(['x', 'x']);
});

test('slow jobs delay only other slow jobs', async () => {
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const begun: unknown[] = [];
  registerJobHandler(
    'minutes',
    (payload) => (begun.push(payload), begun.length === 1 ? first.promise : second.promise),
    {
      isSlow: true,
    },
  );
  const done = worker('mail of that time');
  startJobs();
  await enqueue('minutes', 'one file');
  await expect.poll(() => begun).toEqual(['one file']);
  await enqueue('minutes', 'another');
  await enqueue('mail of that time', 'a letter');
  await expect.poll(() => done).toEqual(['a letter']);
  expect(begun).toEqual(['one file']);
  first.resolve();
  await expect.poll(() => begun).toEqual(['one file', 'another']);
  second.resolve();
  await stopJobs();
});

test('a running job keeps its lease for as long as it takes', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const work = Promise.withResolvers<void>();
  const begun: unknown[] = [];
  registerJobHandler('an hour', (payload) => (begun.push(payload), work.promise));
  await enqueue('an hour', 'x');
  const first = runDueJobs();
  await expect.poll(() => begun).toHaveLength(1);
  for (let minutes = 0; minutes < 60; minutes += 1) {
    const [{ run_at: before } = { run_at: 0 }] = await rowsOf('an hour');
    moveClock(MINUTE);
    const renewed = async (): Promise<number | undefined> => {
      vi.advanceTimersByTime(MINUTE); // a failed attempt is followed by others
      return (await rowsOf('an hour'))[0]?.run_at;
    };
    // an earlier renewal that comes late adds only milliseconds
    await expect.poll(renewed).toBeGreaterThan(before + MINUTE / 2);
    await runDueJobs();
  }
  work.resolve();
  await first;
  vi.useRealTimers();
  expect(begun).toEqual(['x']);
  expect(await rowsOf('an hour')).toMatchObject([{ attempts: 1, last_error: null }]);
});
