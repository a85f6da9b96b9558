import { beforeEach, expect, test, vi } from 'vitest';
import {
  beginBatch,
  checkBatch,
  discardBatch,
  redraftBatch,
  stopBatch,
  undoBatch,
} from '#features/base/batches/batches.server.ts';
import { runPart } from '#features/base/batches/running.server.ts';
import { sweepBatches } from '#features/base/batches/sweeping.server.ts';
import { db } from '#platform/database/database.server.ts';
import { DAY, HOUR, moveClock } from '#platform/runtime/clock.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import '../../../src/app.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';
import {
  events,
  makeParcelTables,
  parcelBatch,
  parcels,
  prepareParcels,
  rowsOf,
  sentOf,
} from '../../support/planted-batch.ts';

vi.mock('#features/demo/demo/feature.server.ts', async () => ({
  demo: (await import('../../support/planted-feature.ts')).visits,
}));

const { ada, sam, tom, firmOne } = await makeCast();
const hart = await person(firmOne, 'Eleanor Hart', 'hart@one.example', { role: 'owner' });
await makeParcelTables();
beforeEach(() => void events.splice(0));

const code = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => refusal(error)?.code ?? String(error),
  );
const partAt = (batchId: string, position: number, state = 'running') => ({ batchId, state, position });

test('the rows are checked, done and undone, and each event is recorded once', async () => {
  const id = await prepareParcels(sam, 3, 'draft');
  await checkBatch(sam, parcels, id);
  await runDueJobs();
  expect(await parcelBatch(sam, id)).toMatchObject({ state: 'ready', finishedAt: undefined });
  await beginBatch(sam, parcels, id);
  await runDueJobs();
  expect(await parcelBatch(sam, id)).toMatchObject({ state: 'done', position: 3 });
  expect(await sentOf(id)).toEqual([0, 1, 2, 3]);
  await undoBatch(sam, parcels, id);
  await runDueJobs();
  expect(await parcelBatch(sam, id)).toMatchObject({ state: 'undone' });
  expect(await sentOf(id)).toEqual([0]);
  expect(events).toEqual(['begun', 'done', 'undoing', 'undone']);
});

test('a row that is refused fails alone', async () => {
  const id = await prepareParcels(sam, 5, 'ready');
  await beginBatch(sam, parcels, id);
  await runDueJobs();
  expect((await rowsOf(id)).map(({ state }) => state)).toEqual(['done', 'done', 'done', 'failed', 'done']);
});

test('a batch of few rows is done when it has begun, and its job then has nothing to do', async () => {
  const id = await prepareParcels(sam, 1, 'ready');
  await beginBatch(sam, parcels, id);
  expect(await parcelBatch(sam, id)).toMatchObject({ state: 'done' });
  await db().updateTable('jobs').set({ run_at: 0 }).where('done_at', 'is', null).execute();
  await runDueJobs();
  expect(await sentOf(id)).toEqual([0, 1]);
});

test('a part that two workers do at once is done once', async () => {
  const id = await prepareParcels(sam, 3, 'ready');
  await beginBatch(sam, parcels, id);
  await Promise.all([runPart(partAt(id, 0)), runPart(partAt(id, 0))]);
  expect(await sentOf(id)).toEqual([1, 2]);
  await runPart(partAt(id, 0));
  expect(await sentOf(id)).toEqual([1, 2]);
});

test('a job that a version before has queued continues its batch, however it named it', async () => {
  const id = await prepareParcels(sam, 3, 'ready');
  await beginBatch(sam, parcels, id);
  await db().deleteFrom('jobs').where('kind', '=', 'batch').execute();
  await enqueue('task-batch', { batchId: id, state: 'running', position: 50, by: sam.contactId });
  await runDueJobs();
  expect(await sentOf(id)).toEqual([0, 1, 2, 3]);
  const other = await prepareParcels(sam, 3, 'draft');
  await checkBatch(sam, parcels, other);
  await db().deleteFrom('jobs').where('kind', '=', 'batch').execute();
  await enqueue('import', { importId: other, state: 'checking', position: 0, by: sam.contactId });
  await runDueJobs();
  expect(await parcelBatch(sam, other)).toMatchObject({ state: 'ready' });
});

test('a batch that somebody stops goes on with the first row that waits, as whoever continues it', async () => {
  const id = await prepareParcels(sam, 3, 'ready');
  await beginBatch(sam, parcels, id);
  await runPart(partAt(id, 0));
  await stopBatch(hart, parcels, id);
  await runDueJobs();
  expect(await parcelBatch(sam, id)).toMatchObject({ state: 'stopped', stoppedBy: 'PERSON', position: 2 });
  expect(await sentOf(id)).toEqual([1, 2]);
  await beginBatch(hart, parcels, id, { from: ['stopped'] });
  await runDueJobs();
  expect(await parcelBatch(sam, id)).toMatchObject({ state: 'done', stoppedBy: '', runsAs: hart.contactId });
  expect(await sentOf(id)).toEqual([0, 1, 2, 3]);
});

test('a batch stops as soon as the one who began it may no longer do this', async () => {
  const grace = await person(firmOne, 'Grace Gold', 'grace@one.example', { role: 'member' });
  const id = await prepareParcels(grace, 3, 'ready');
  const checked = await prepareParcels(grace, 3, 'draft');
  await beginBatch(grace, parcels, id);
  await checkBatch(grace, parcels, checked);
  await runPart(partAt(id, 0));
  await db()
    .updateTable('contacts')
    .set({ suspended_at: 1 })
    .where('contact_id', '=', grace.contactId)
    .execute();
  await runDueJobs();
  expect(await parcelBatch(sam, id)).toMatchObject({ state: 'stopped', stoppedBy: 'RIGHTS' });
  expect(await parcelBatch(sam, checked)).toMatchObject({ state: 'draft' });
  expect(await sentOf(id)).toEqual([1, 2]);
  expect(events).toEqual(['begun', 'lost']);
});

test('an undo that stops can begin again, or what waits can follow', async () => {
  const id = await prepareParcels(sam, 3, 'ready');
  await beginBatch(sam, parcels, id);
  await runPart(partAt(id, 0));
  await stopBatch(sam, parcels, id);
  await undoBatch(sam, parcels, id);
  await runPart(partAt(id, 0, 'undoing'));
  expect(await sentOf(id), 'the last rows come first').toEqual([1]);
  await stopBatch(sam, parcels, id);
  expect(await parcelBatch(sam, id), 'nobody stops an undo').toMatchObject({ state: 'undoing' });
  moveClock(2 * HOUR);
  await sweepBatches();
  expect(await parcelBatch(sam, id)).toMatchObject({ state: 'stopped', stoppedBy: 'LOST', position: 0 });
  await beginBatch(sam, parcels, id);
  await runDueJobs();
  expect((await rowsOf(id)).map(({ state }) => state)).toEqual(['done', 'undone', 'done']);
  moveClock(-2 * HOUR);
});

test('a batch whose job is lost is stopped after an hour, and old ones are removed as their kind says', async () => {
  const running = await prepareParcels(sam, 3, 'ready');
  const unused = await prepareParcels(sam, 3, 'ready');
  await beginBatch(sam, parcels, running);
  await db().deleteFrom('jobs').where('kind', '=', 'batch').execute();
  moveClock(HOUR / 2);
  await sweepBatches();
  expect(await parcelBatch(sam, running)).toMatchObject({ state: 'running' });
  moveClock(DAY);
  await sweepBatches();
  expect(await code(parcelBatch(sam, unused))).toBe('NOT_FOUND');
  expect(await rowsOf(unused)).toEqual([]);
  expect(await parcelBatch(sam, running)).toMatchObject({ state: 'stopped', stoppedBy: 'LOST' });
  moveClock(10 * DAY);
  await sweepBatches();
  expect(await code(parcelBatch(sam, running))).toBe('NOT_FOUND');
  expect(await rowsOf(running)).toEqual([]);
  moveClock(-11 * DAY - HOUR / 2);
});

test('what a batch is not in the state for is refused, and so is another firm', async () => {
  const id = await prepareParcels(sam, 3, 'ready');
  expect(await code(parcelBatch(tom, id))).toBe('NOT_FOUND');
  expect(await code(beginBatch(tom, parcels, id))).toBe('NOT_FOUND');
  expect(await code(parcelBatch(ada, id))).toBe('FORBIDDEN');
  expect(await code(undoBatch(sam, parcels, id))).toBe('STALE');
  expect(await code(beginBatch(sam, parcels, id, { from: ['stopped'] }))).toBe('STALE');
  await redraftBatch(sam, parcels, { batchId: id });
  expect(await code(beginBatch(sam, parcels, id))).toBe('STALE');
  await discardBatch(sam, parcels, id);
  expect(await code(parcelBatch(sam, id))).toBe('NOT_FOUND');
  expect(await rowsOf(id)).toEqual([]);
  const begun = await prepareParcels(sam, 1, 'ready');
  await beginBatch(sam, parcels, begun);
  expect(await code(discardBatch(sam, parcels, begun))).toBe('STALE');
  expect(await code(undoBatch(sam, { ...parcels, isUndoable: () => false }, begun))).toBe('NOT_POSSIBLE');
});
