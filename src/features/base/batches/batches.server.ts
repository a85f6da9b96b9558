import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import type { Batch, BatchState, Step } from './batches.ts';
import type { BatchKind, BatchOf } from './define.server.ts';
import { auditEvent, change, present, stopped } from './internal/rows.server.ts';
import { runPart } from './running.server.ts';
import { enqueuePart, partOf } from './steps.server.ts';

interface NewBatch {
  batchId: string;
  /** How many rows it has. */
  total: number;
  state: 'draft' | 'ready';
}

/** Stores the head of a batch, in the transaction that stores its rows. */
export async function createBatch<Input, Row>(
  actor: Actor,
  { name }: BatchKind<Input, Row>,
  { batchId, total, state }: NewBatch,
): Promise<void> {
  await db()
    .insertInto('batches')
    .values({
      batch_id: batchId,
      company_id: actor.companyId,
      kind: name,
      state,
      stopped_by: '',
      created_by: actor.contactId,
      runs_as: actor.contactId,
      total,
      position: 0,
      created_at: now(),
      moved_at: now(),
      finished_at: null,
    })
    .execute();
}

/** Reads a batch of the actor's firm; NOT_FOUND, FORBIDDEN, as its kind says. */
export async function batchIn<Input, Row>(
  actor: Actor,
  kind: BatchKind<Input, Row>,
  batchId: string,
): Promise<BatchOf<Input>> {
  const row = await db()
    .selectFrom('batches')
    .selectAll()
    .where('batch_id', '=', batchId)
    .where('company_id', '=', actor.companyId)
    .where('kind', '=', kind.name)
    .executeTakeFirst();
  if (!row) throw notFound();
  const batch = { ...present(row), input: await kind.inputOf(batchId) };
  kind.assertMay(actor, batch);
  return batch;
}

/** Reads a batch to change it, with the rights of this moment; STALE unless it is in one of these states. */
export async function batchToChange<Input, Row>(
  actor: Actor,
  kind: BatchKind<Input, Row>,
  { batchId, from }: { batchId: string; from: readonly BatchState[] },
): Promise<BatchOf<Input>> {
  const batch = await batchIn(await actorNow(actor), kind, batchId);
  if (!from.includes(batch.state)) throw new PortalError('STALE');
  return batch;
}

/** Checks every row of a batch, for the first time or again. STALE once it has begun. */
export async function checkBatch<Input, Row>(
  actor: Actor,
  kind: BatchKind<Input, Row>,
  batchId: string,
): Promise<void> {
  await inTransaction(async () => {
    const batch = await batchToChange(actor, kind, { batchId, from: ['draft', 'ready'] });
    await beginStep(actor, batch, 'checking');
  });
}

/** Returns to what a checked batch needs, or to rows that were read anew, if their number is given. STALE once it has begun. */
export async function redraftBatch<Input, Row>(
  actor: Actor,
  kind: BatchKind<Input, Row>,
  { batchId, total }: { batchId: string; total?: number },
): Promise<void> {
  await inTransaction(async () => {
    const from = total === undefined ? (['ready'] as const) : (['draft', 'ready'] as const);
    const batch = await batchToChange(actor, kind, { batchId, from });
    await change(batch, { state: 'draft', ...(total !== undefined && { total, position: 0 }) });
  });
}

interface Begin<Input> {
  /** From which state: by default either. */
  from?: readonly ('ready' | 'stopped')[];
  /** What is checked or stored before, in the same transaction. */
  prepare?: (actor: Actor, batch: BatchOf<Input>) => Promise<void>;
}

/**
 * Begins a batch that was prepared, or continues one that was stopped with the first row that waits. One with few rows
 * is done when this returns. STALE if it has begun already.
 */
export async function beginBatch<Input, Row>(
  actor: Actor,
  kind: BatchKind<Input, Row>,
  batchId: string,
  { from = ['ready', 'stopped'], prepare }: Begin<Input> = {},
): Promise<void> {
  const begun = await inTransaction(async () => {
    const current = await actorNow(actor);
    const batch = await batchToChange(actor, kind, { batchId, from });
    await prepare?.(current, batch);
    await auditEvent(kind, batch, 'begun', actor.contactId);
    return beginStep(actor, batch, 'running', kind);
  });
  await doIfSmall(kind, begun);
}

/** Stops a batch after the part at work; what is done stays. An undo goes on. */
export async function stopBatch<Input, Row>(
  actor: Actor,
  kind: BatchKind<Input, Row>,
  batchId: string,
): Promise<void> {
  await inTransaction(async () => {
    const batch = await batchIn(await actorNow(actor), kind, batchId);
    if (batch.state !== 'running' && batch.state !== 'checking') return;
    await change(batch, stopped(batch, 'PERSON'));
    if (batch.state === 'running') await auditEvent(kind, batch, 'stopped', actor.contactId);
  });
}

/** Begins to undo a batch as far as it is done. STALE before its end, NOT_POSSIBLE. */
export async function undoBatch<Input, Row>(
  actor: Actor,
  kind: BatchKind<Input, Row>,
  batchId: string,
): Promise<void> {
  const begun = await inTransaction(async () => {
    const batch = await batchToChange(actor, kind, { batchId, from: ['done', 'stopped'] });
    if (!(kind.isUndoable?.(batch) ?? kind.undo !== undefined)) throw new PortalError('NOT_POSSIBLE');
    await auditEvent(kind, batch, 'undoing', actor.contactId);
    return beginStep(actor, batch, 'undoing', kind);
  });
  await doIfSmall(kind, begun);
}

/** Removes a batch that was only prepared. STALE once it has begun. */
export async function discardBatch<Input, Row>(
  actor: Actor,
  kind: BatchKind<Input, Row>,
  batchId: string,
): Promise<void> {
  await inTransaction(async () => {
    await batchToChange(actor, kind, { batchId, from: ['draft', 'ready'] });
    const itself = db().selectFrom('batches').select('batch_id').where('batch_id', '=', batchId);
    await kind.remove?.(itself);
    await db().deleteFrom('batches').where('batch_id', '=', batchId).execute();
  });
}

const isSmall = (kind: Pick<BatchKind, 'inRequest'> | undefined, { total }: Batch): boolean =>
  total <= (kind?.inRequest ?? -1);

/** The job of a batch that is done in the request: it is needed only if the portal ends meanwhile. */
const AFTER_REQUEST = MINUTE;

async function beginStep(
  actor: Actor,
  batch: Batch,
  state: Step,
  kind?: Pick<BatchKind, 'inRequest'>,
): Promise<Batch> {
  const position = batch.state === 'stopped' && state === 'running' ? batch.position : 0;
  const begun = { ...batch, state, position, runsAs: actor.contactId };
  await change(batch, {
    state,
    position,
    stopped_by: '',
    runs_as: actor.contactId,
    moved_at: now(),
    finished_at: null,
  });
  await enqueuePart(begun, isSmall(kind, batch) ? now() + AFTER_REQUEST : now());
  return begun;
}

async function doIfSmall(kind: Pick<BatchKind, 'inRequest'>, begun: Batch): Promise<void> {
  if (isSmall(kind, begun)) await runPart(partOf(begun));
}
