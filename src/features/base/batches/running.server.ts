import { actorNow, actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { refusal, type PortalError } from '#platform/runtime/errors.server.ts';
import { isAtWork, type Batch, type BatchState, type Step } from './batches.ts';
import type { BatchKind, BatchOf, Span } from './define.server.ts';
import { auditEvent, batchById, change, kindOf, stopped } from './internal/rows.server.ts';
import { enqueuePart, part, partOf, type Part } from './steps.server.ts';

/*
 * The job of a batch: one part after the other, each in one transaction with the job of the next one (docs/decisions/0111).
 */

/** Does a part of a batch. Who began the step must still have the right to: else the batch is stopped. */
export const runPart = (payload: unknown): Promise<void> => doPart(part.parse(payload));

/** Does the part that a batch is at, for jobs that were queued before all batches had the same. */
export async function continueBatch(batchId: string): Promise<void> {
  const batch = await batchById(batchId);
  if (batch) await doPart(partOf(batch));
}

async function doPart({ batchId, state, position }: Part): Promise<void> {
  const batch = await batchById(batchId);
  if (!batch || batch.state !== state || batch.position !== position || !isAtWork(state)) return;
  const kind = kindOf(batch);
  const work: Work = { kind, step: state, batch, span: spanOf(kind, batch, state) };
  try {
    await inTransaction(() => doTogether(work));
  } catch (error) {
    if (error instanceof RefusedRow) await stopIfNotAllowed(work, () => doEachAlone(work));
    else
      await stopIfNotAllowed(work, () => {
        throw error;
      });
  }
}

interface Work {
  kind: BatchKind;
  step: Step;
  batch: Batch;
  span: Span;
}

class NoLongerAllowed extends Error {}

/** A row was refused, and so is another attempt with the others. */
class RefusedRow extends Error {}

async function stopIfNotAllowed({ kind, batch }: Work, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof NoLongerAllowed)) throw error;
    await stop(kind, batch);
  }
}

/** The rows of the next part: an undo begins with the last ones. */
function spanOf({ atOnce }: BatchKind, { position, total }: Batch, step: Step): Span {
  const count = Math.min(atOnce[step] ?? atOnce.running ?? 1, total - position);
  if (step === 'undoing') return { first: total - position - count + 1, last: total - position };
  return { first: position + 1, last: position + count };
}

const NEXT: Readonly<Record<Step, BatchState>> = { checking: 'ready', running: 'done', undoing: 'undone' };

async function doTogether(work: Work): Promise<void> {
  const { kind, batch, span } = work;
  // taken before anything is done, so that of two workers one has nothing to do
  const moved = await moveOn(work);
  if (!moved) return;
  const [actor, job] = await runnerOf(kind, batch);
  await doRows(work, actor, job, await kind.rows(job, span)).catch((error: unknown) => {
    throw work.step !== 'checking' && isOfRow(error) ? new RefusedRow() : error;
  });
  await proceed(work, moved, actor);
}

/** Moves a batch past a part, or into the state behind its step; undefined if it was stopped, or another did the part. */
async function moveOn({ batch, span, step }: Work): Promise<Batch | undefined> {
  const position = batch.position + span.last - span.first + 1;
  const isOver = position >= batch.total;
  const state = isOver ? NEXT[step] : batch.state;
  const isFinished = isOver && step !== 'checking';
  const finishedAt = isFinished ? now() : undefined;
  const isMoved = await change(batch, {
    state,
    position,
    moved_at: now(),
    ...(finishedAt !== undefined && { finished_at: finishedAt }),
  });
  return isMoved ? { ...batch, state, position, finishedAt } : undefined;
}

/** The person as whom a batch runs, with the rights of this moment, and what it does. */
async function runnerOf(kind: BatchKind, batch: Batch): Promise<[Actor, BatchOf<unknown>]> {
  const job = { ...batch, input: await kind.inputOf(batch.id) };
  try {
    const actor = await actorNow(await actorOf(batch.runsAs));
    kind.assertMay(actor, job);
    return [actor, job];
  } catch (error) {
    const code = refusal(error)?.code;
    if (code === 'FORBIDDEN' || code === 'NOT_FOUND' || code === 'TERMS_REQUIRED')
      throw new NoLongerAllowed();
    throw error;
  }
}

async function doRows(
  { kind, step }: Work,
  actor: Actor,
  job: BatchOf<unknown>,
  rows: readonly unknown[],
): Promise<void> {
  if (step === 'checking') await kind.check?.(actor, job, rows);
  else if (step === 'running') await kind.run(actor, job, rows);
  else await kind.undo?.(actor, job, rows.toReversed());
}

/** Enqueues the next part, or ends the step. */
async function proceed({ kind, step }: Work, moved: Batch, actor: Actor): Promise<void> {
  if (moved.state === step) return enqueuePart(moved);
  if (step === 'checking') return;
  const job = { ...moved, input: await kind.inputOf(moved.id) };
  if (step === 'running') await kind.finish?.(actor, job);
  await auditEvent(kind, job, step === 'running' ? 'done' : 'undone');
}

/** A refusal that another attempt would meet again. */
function isOfRow(error: unknown): error is PortalError {
  const refused = refusal(error);
  return refused !== undefined && refused.status < 500 && refused.code !== 'TOO_MANY';
}

/** Does each row of a part in a transaction of its own, so that only those fail that are refused. */
async function doEachAlone(work: Work): Promise<void> {
  const { kind, batch, step, span } = work;
  const job = { ...batch, input: await kind.inputOf(batch.id) };
  const rows = await kind.rows(job, span);
  for (const row of step === 'undoing' ? rows.toReversed() : rows) await doAlone(work, row);
  await inTransaction(async () => {
    const moved = await moveOn(work);
    if (moved) await proceed(work, moved, (await runnerOf(kind, batch))[0]);
  });
}

async function doAlone(work: Work, row: unknown): Promise<void> {
  const { kind, batch } = work;
  try {
    await inTransaction(async () => {
      if (!(await change(batch, { moved_at: now() }))) return;
      const [actor, job] = await runnerOf(kind, batch);
      await doRows(work, actor, job, [row]);
    });
  } catch (error) {
    if (!kind.refuse || !isOfRow(error)) throw error;
    await kind.refuse({ ...batch, input: await kind.inputOf(batch.id) }, row, error);
  }
}

/** Stops a batch of somebody who may no longer do this. */
const stop = (kind: BatchKind, batch: Batch): Promise<void> =>
  inTransaction(async () => {
    if (!(await change(batch, stopped(batch, 'RIGHTS'))) || batch.state === 'checking') return;
    await auditEvent(kind, { ...batch, input: await kind.inputOf(batch.id) }, 'lost');
  });
