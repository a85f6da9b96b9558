import { z } from 'zod';
import { actorNow, actorOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { performAction } from '#features/tasks/acting.server.ts';
import { assignTask } from '#features/tasks/assigning.server.ts';
import { assertManagesTasks, createTasks } from '#features/tasks/creating.server.ts';
import { clientsWithTask, isUntouched } from '#features/tasks/of-template.server.ts';
import { DAY, HOUR, now } from '#platform/clock.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import { refusal } from '#platform/errors.server.ts';
import { planKey, plannedTask, type PlannedTask } from './planning.server.ts';
import { enqueueStep, step, type Step } from './steps.server.ts';
import { remindNow, type RemindResult } from '#features/task-reminders/remind-now.server.ts';
import type { BatchAction, RowProblem, RowState } from './task-batches.ts';

/*
 * The job of a batch: some rows after the others, each part in one transaction with the job of the next one. Killed at
 * any moment, it leaves whole parts, and goes on after the last one.
 */

const ROWS_AT_ONCE = 50;

/** Does the next part of a batch. Who began it must still have the right to: else the batch is stopped. */
export async function runStep(given: unknown): Promise<void> {
  const current = step.parse(given);
  try {
    await inTransaction(async () => {
      const batch = await batchNamed(current.batchId);
      if (!batch || batch.state !== current.state || batch.position !== current.position) return;
      const actor = await actorFor(current.by);
      const rows = await rowsAfter(batch.batch_id, current.position);
      if (batch.state === 'running') await runRows(actor, batch, rows);
      if (batch.state === 'undoing') await undoRows(actor, batch, rows);
      await moveOn(batch, current, rows.length);
    });
  } catch (error) {
    if (!(error instanceof NoLongerAllowed)) throw error;
    await stop(current);
  }
}

class NoLongerAllowed extends Error {}

async function actorFor(by: string): Promise<Actor> {
  try {
    const actor = await actorNow(await actorOf(by));
    assertManagesTasks(actor);
    return actor;
  } catch (error) {
    const code = refusal(error)?.code;
    if (code === 'FORBIDDEN' || code === 'NOT_FOUND' || code === 'TERMS_REQUIRED')
      throw new NoLongerAllowed();
    throw error;
  }
}

const batchNamed = (batchId: string) =>
  db().selectFrom('task_batches').selectAll().where('batch_id', '=', batchId).executeTakeFirst();

type BatchRecord = NonNullable<Awaited<ReturnType<typeof batchNamed>>>;

const rowsAfter = (batchId: string, position: number) =>
  db()
    .selectFrom('task_batch_rows')
    .selectAll()
    .where('batch_id', '=', batchId)
    .where('number', '>', position)
    .orderBy('number')
    .limit(ROWS_AT_ONCE)
    .execute();

type StoredRow = Awaited<ReturnType<typeof rowsAfter>>[number];

async function moveOn(batch: BatchRecord, { by }: Step, count: number): Promise<void> {
  const position = batch.position + count;
  const isOver = position >= batch.total || count === 0;
  const next = batch.state === 'undoing' ? ('undone' as const) : ('done' as const);
  await db()
    .updateTable('task_batches')
    .set({ position, moved_at: now(), ...(isOver && { state: next, finished_at: now() }) })
    .where('batch_id', '=', batch.batch_id)
    .execute();
  if (!isOver)
    await enqueueStep(batch.company_id, { batchId: batch.batch_id, state: batch.state, position, by });
}

async function stop({ batchId, state }: Step): Promise<void> {
  await db()
    .updateTable('task_batches')
    .set({ state: 'stopped', finished_at: now() })
    .where('batch_id', '=', batchId)
    .where('state', '=', state)
    .execute();
}

const changeInput = z.strictObject({
  reason: z.string().optional(),
  dueDate: z.string().optional(),
  responsible: z.string().optional(),
});

const inputOf = ({ batch_id: id, input }: BatchRecord): unknown =>
  JSON.parse(decryptFrom('task_batches.input', id, input));

async function runRows(actor: Actor, batch: BatchRecord, rows: readonly StoredRow[]): Promise<void> {
  const waiting = rows.filter(({ state }) => state === 'waiting');
  if (batch.action === 'create') return createRows(actor, waiting, plannedTask.parse(inputOf(batch)));
  const { action } = batch;
  if (action === 'remind') return remindRows(actor, waiting);
  const input = changeInput.parse(inputOf(batch));
  for (const row of waiting)
    await attempt(row, 'done', async () => {
      if (action === 'assign') await assignTask(actor, row.task_id, input.responsible || null);
      else
        await performAction(actor, row.task_id, action, {
          reason: input.reason,
          ...(action === 'reschedule' && { dueDate: input.dueDate || null }),
        });
    });
}

const UNREMINDED = {
  'too-soon': 'TOO_SOON',
  bounced: 'BOUNCED',
  paused: 'PAUSED',
  'no-contact': 'NO_CONTACT',
  'not-open': 'STATUS',
} as const satisfies Record<Exclude<RemindResult['outcome'], 'sent'>, RowProblem>;

async function remindRows(actor: Actor, rows: readonly StoredRow[]): Promise<void> {
  const results = await remindNow(
    actor,
    rows.map((row) => row.task_id),
  );
  const outcomes = new Map(results.map(({ taskId, outcome }) => [taskId, outcome]));
  for (const row of rows) {
    const outcome = outcomes.get(row.task_id);
    if (outcome === 'sent') await storeRow(row, { state: 'done' });
    else await storeRow(row, { state: 'failed', problem: outcome ? UNREMINDED[outcome] : 'GONE' });
  }
}

async function createRows(actor: Actor, rows: readonly StoredRow[], plan: PlannedTask): Promise<void> {
  const having = await clientsWithTask(
    actor,
    planKey(plan),
    rows.map((row) => row.client_id),
  );
  const [skipped, wanted] = [rows.filter(hasOne), rows.filter((row) => !hasOne(row))];
  for (const row of skipped) await storeRow(row, { state: 'skipped', problem: 'HAS_ONE' });
  const created = await createTasks(
    actor,
    wanted.map((row) => row.client_id),
    plan.task,
    { ...plan.creation, skipsMissing: true },
  );
  for (const [index, row] of wanted.entries()) {
    const taskId = created[index];
    await storeRow(
      row,
      taskId === undefined ? { state: 'failed', problem: 'GONE' } : { state: 'done', taskId },
    );
  }

  function hasOne({ client_id: id }: StoredRow): boolean {
    return having.has(id);
  }
}

/** Undoes rows that are done, if no client has begun with the task and nobody has changed it since. */
async function undoRows(actor: Actor, batch: BatchRecord, rows: readonly StoredRow[]): Promise<void> {
  for (const row of rows.filter(({ state }) => state === 'done'))
    await attempt(row, 'undone', () => undoRow(actor, batch.action, row));
}

async function undoRow(
  actor: Actor,
  action: BatchAction,
  { task_id: taskId, before_value: before }: StoredRow,
): Promise<RowProblem | undefined> {
  if (action === 'create') {
    if (!(await isUntouched(taskId))) return 'TOUCHED';
    await performAction(actor, taskId, 'delete');
  }
  if (action === 'delete') await performAction(actor, taskId, 'restore');
  if (action === 'reschedule')
    await performAction(actor, taskId, 'reschedule', { dueDate: before || null, isUndo: true });
  if (action === 'assign') await assignTask(actor, taskId, before || null);
  return undefined;
}

/** Does something with the task of a row, and stores what became of it: a refusal is a result. */
async function attempt(
  row: StoredRow,
  state: RowState,
  work: () => Promise<RowProblem | undefined | void>,
): Promise<void> {
  try {
    const problem = await work();
    await storeRow(row, problem ? { state: 'kept', problem } : { state });
  } catch (error) {
    const refused = refusal(error);
    // refusals come before any change of the task
    if (!refused || refused.status >= 500) throw error;
    await storeRow(row, {
      state: state === 'undone' ? 'kept' : 'failed',
      problem: refused.code === 'NOT_FOUND' ? 'GONE' : 'CHANGED',
    });
  }
}

async function storeRow(
  { batch_id: batchId, number }: StoredRow,
  { state, problem = '', taskId }: { state: RowState; problem?: RowProblem | ''; taskId?: string },
): Promise<void> {
  await db()
    .updateTable('task_batch_rows')
    .set({ state, problem, ...(taskId !== undefined && { task_id: taskId }) })
    .where('batch_id', '=', batchId)
    .where('number', '=', number)
    .execute();
}

/** After so long without a part its job is lost, such as by a restore. */
const STALLS_AFTER = HOUR;
const PREPARED_LAST = 7 * DAY;
const ROWS_LAST = 60 * DAY;

/** Stops batches whose job is lost, so that they can be continued, and removes old ones. */
export async function sweepBatches(): Promise<void> {
  await db()
    .updateTable('task_batches')
    .set({ state: 'stopped', finished_at: now() })
    .where('state', 'in', ['running', 'undoing'])
    .where('moved_at', '<=', now() - STALLS_AFTER)
    .execute();
  await db()
    .deleteFrom('task_batches')
    .where((e) =>
      e.or([
        e.and([e('state', '=', 'ready'), e('created_at', '<=', now() - PREPARED_LAST)]),
        e('created_at', '<=', now() - ROWS_LAST),
      ]),
    )
    .execute();
}
