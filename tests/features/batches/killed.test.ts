import { expect, test, vi } from 'vitest';
import { killedAt } from '../../support/kills.ts';
import { beginBatch, checkBatch, undoBatch } from '#features/base/batches/batches.server.ts';
import { db } from '#platform/database/database.server.ts';
import '../../../src/app.server.ts';
import { makeCast } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';
import {
  makeParcelTables,
  parcelBatch,
  parcels,
  prepareParcels,
  REFUSED,
  rowsOf,
  sentOf,
} from '../../support/planted-batch.ts';
import { onPostgres, WHOLE } from '../../support/whole.ts';

/* What holds for one kind of batches holds for all, since the parts are the same. */
vi.mock('#features/demo/demo/feature.server.ts', async () => ({
  demo: (await import('../../support/planted-feature.ts')).visits,
}));

const ROWS = 5;
/** PostgreSQL takes ten times as long. */
const STEP = onPostgres && !WHOLE ? 5 : 1;
const { sam } = await makeCast();
await makeParcelTables();
const stateOf = async (id: string) => (await parcelBatch(sam, id)).state;
const numbers = Array.from({ length: ROWS }, (_, index) => index + 1);
const sendable = numbers.filter((number) => !REFUSED.includes(number));

/** Does what a person and the jobs would do until the batch is in this state. */
async function advance(id: string, end: 'done' | 'undone'): Promise<void> {
  for (let rounds = 0; rounds < 20; rounds += 1) {
    const state = await stateOf(id);
    if (state === end) return;
    if (state === 'draft') await checkBatch(sam, parcels, id);
    if (state === 'ready') await beginBatch(sam, parcels, id);
    if (state === 'done') await undoBatch(sam, parcels, id);
    await runDueJobs();
  }
  throw new Error(`The batch never is ${end}.`);
}

/** What another start of the portal does with the jobs of the one that was killed. */
const releaseJobs = () =>
  db().updateTable('jobs').set({ run_at: 0, leased_by: null }).where('done_at', 'is', null).execute();

/** What a row is as long as a step has not passed it. */
const LEFT: Readonly<Record<string, string>> = { checking: 'new', running: 'waiting', undoing: 'done' };

/** Rows that are done have sent their parcel once, others none; those that the batch has passed do not wait. */
async function assertWhole(id: string): Promise<void> {
  const { state, position, total } = await parcelBatch(sam, id);
  const rows = await rowsOf(id);
  const done = rows.filter((row) => row.state === 'done').map(({ number }) => number);
  expect((await sentOf(id)).filter((number) => number > 0)).toEqual(done);
  const passed = rows.filter(({ number }) =>
    state === 'undoing' ? number > total - position : number <= position,
  );
  expect(passed.map((row) => row.state)).not.toContain(LEFT[state]);
}

test('a batch that is killed at any statement has whole parts, and ends with every row once', async () => {
  let isKilled = true;
  let statement = 0;
  for (; isKilled; statement += STEP) {
    const id = await prepareParcels(sam, ROWS, 'draft');
    isKilled = await killedAt(statement, () => advance(id, 'done'));
    await assertWhole(id);
    await releaseJobs();
    await advance(id, 'done');
    await assertWhole(id);
    expect(await sentOf(id), `killed at statement ${statement}`).toEqual([0, ...sendable]);
    expect((await rowsOf(id)).filter(({ state }) => state === 'failed').map(({ number }) => number)).toEqual(
      REFUSED,
    );
  }
  expect(statement, 'it was killed in each part of each step').toBeGreaterThan(60);
});

test('an undo that is killed at any statement ends with every row undone once', async () => {
  let isKilled = true;
  for (let statement = 0; isKilled; statement += STEP) {
    const id = await prepareParcels(sam, ROWS, 'ready');
    await advance(id, 'done');
    isKilled = await killedAt(statement, () => advance(id, 'undone'));
    await assertWhole(id);
    await releaseJobs();
    await advance(id, 'undone');
    await assertWhole(id);
    expect(await sentOf(id), `killed at statement ${statement}`).toEqual([0]);
    expect((await rowsOf(id)).map(({ state }) => state)).toEqual(
      numbers.map((number) => (REFUSED.includes(number) ? 'failed' : 'undone')),
    );
  }
});
