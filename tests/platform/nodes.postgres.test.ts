import { afterAll, expect, test, vi } from 'vitest';
import pg from 'pg';
import { compareClocks, clockDifference, isClockWrong } from '#platform/runtime/clock-check.server.ts';
import { now, SECOND } from '#platform/runtime/clock.server.ts';
import { databaseTime, db, migrate } from '#platform/database/database.server.ts';
import { enqueue, registerJobHandler, startJobs, stopJobs } from '#platform/jobs/jobs.server.ts';
import { beat, isRunning, joinNodes, leaveNodes } from '#platform/runtime/nodes.server.ts';
import { lookAtSchema, readiness, startDraining } from '#platform/runtime/readiness.server.ts';
import { runDueJobs } from '../support/jobs.ts';

/* Several nodes of one database. Another node is a row with signs of life, and a connection of its name. */
await migrate();
await joinNodes();
afterAll(leaveNodes);

const OTHER = 'node_other';

/** Another node, last seen a while ago, that works at a job of this kind. */
async function addNode(kind: string, silentFor: number): Promise<void> {
  await db()
    .insertInto('nodes')
    .values((e) => ({ node_id: OTHER, started_at: 0, seen_at: e(databaseTime, '-', silentFor) }))
    .onConflict((conflict) =>
      conflict.column('node_id').doUpdateSet((e) => ({ seen_at: e.ref('excluded.seen_at') })),
    )
    .execute();
  await enqueue(kind, {});
  await db()
    .updateTable('jobs')
    .set({ leased_by: OTHER, run_at: now() + 60 * SECOND, attempts: 1 })
    .where('kind', '=', kind)
    .execute();
}

async function ran(kind: string): Promise<boolean> {
  const handler = vi.fn(() => Promise.resolve());
  registerJobHandler(kind, handler);
  await beat();
  await runDueJobs();
  return handler.mock.calls.length > 0;
}

test('the job of a node that was killed is taken over at once, not when its lease ends', async () => {
  await addNode('of a dead node', 4 * SECOND);
  expect(await ran('of a dead node')).toBe(true);
  expect(await isRunning(OTHER)).toBe(false);
});

test('the job of a node that has shown nothing for a while but is connected stays with it', async () => {
  const connection = new pg.Client({
    connectionString: process.env['DATABASE_URL'],
    application_name: OTHER,
  });
  await connection.connect();
  await addNode('of a slow node', 60 * SECOND);
  expect(await ran('of a slow node')).toBe(false);
  await connection.end();
  await expect.poll(() => ran('of a slow node')).toBe(true);
});

test('the job of a node that was seen a second ago stays with it', async () => {
  await addNode('of a live node', SECOND);
  expect(await ran('of a live node')).toBe(false);
  await db().deleteFrom('nodes').where('node_id', '=', OTHER).execute();
});

test('a job that takes longer than the stop is given back and due at once', async () => {
  const begun = Promise.withResolvers<void>();
  const work = Promise.withResolvers<void>();
  registerJobHandler('takes long', () => (begun.resolve(), work.promise), { isSlow: true });
  await enqueue('takes long', {});
  startJobs();
  await begun.promise;
  await stopJobs(10);
  const row = await db()
    .selectFrom('jobs')
    .selectAll()
    .where('kind', '=', 'takes long')
    .executeTakeFirstOrThrow();
  expect(row).toMatchObject({ leased_by: null, done_at: null });
  expect(row.run_at).toBeLessThanOrEqual(now());
  work.resolve();
});

test('a job that is due when the portal stops is not claimed any more', async () => {
  const first = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const runs: unknown[] = [];
  registerJobHandler('one by one', (payload) => (runs.push(payload), begun.resolve(), first.promise));
  await enqueue('one by one', 1, null, null, now() - 1);
  await enqueue('one by one', 2);
  startJobs();
  await begun.promise;
  const stopped = stopJobs();
  first.resolve();
  await stopped;
  expect(runs).toEqual([1]);
});

/** Sets the clock of this machine, as far as the portal sees it. */
function setOwnClock(ahead: number) {
  const real = Date.now.bind(Date);
  return vi.spyOn(Date, 'now').mockImplementation(() => real() + ahead);
}

test('the time of the portal is that of the database, however wrong the clock of the machine is', async () => {
  const right = Date.now();
  setOwnClock(172_800 * SECOND);
  await compareClocks();
  expect(Math.abs(now() - right)).toBeLessThan(60 * SECOND);
  expect(Math.round(Number(clockDifference()) / SECOND / 60)).toBe(2880);
});

test('a node whose clock is wrong says so, is not ready and claims no jobs; one that is right again works', async () => {
  const clock = setOwnClock(-31 * SECOND);
  await compareClocks();
  expect(isClockWrong()).toBe(true);
  expect(await readiness()).toEqual({
    isReady: false,
    sentences: ['The clock of this machine and that of the database are 31 s apart. Set both by NTP.'],
  });
  const handler = vi.fn(() => Promise.resolve());
  registerJobHandler('while wrong', handler);
  startJobs();
  await enqueue('while wrong', {});
  await stopJobs();
  expect(handler).not.toHaveBeenCalled();
  clock.mockRestore();
  await compareClocks();
  expect(await readiness()).toEqual({ isReady: true, sentences: [] });
});

test('a running node says that a newer version has migrated the database', async () => {
  await db()
    .insertInto('kysely_migration' as 'settings')
    .values({ name: '9999-a-later-step', timestamp: '' } as never)
    .execute();
  await lookAtSchema();
  const { isReady, sentences } = await readiness();
  expect([isReady, sentences.join(' ')]).toEqual([true, expect.stringContaining('9999-a-later-step')]);
  await db()
    .deleteFrom('kysely_migration' as 'settings')
    .where('name', '=', '9999-a-later-step')
    .execute();
  await lookAtSchema();
});

test('a node that stops is not ready from the first moment', async () => {
  startDraining();
  expect(await readiness()).toEqual({ isReady: false, sentences: ['The portal stops.'] });
});
