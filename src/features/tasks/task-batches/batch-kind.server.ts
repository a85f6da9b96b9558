import { z } from 'zod';
import type { BatchEvent, BatchKind, BatchOf, Span } from '#features/base/batches/define.server.ts';
import type { RowState } from '#features/base/batches/rows.ts';
import type { Actor } from '#features/base/people/people.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { assignTask } from '#features/tasks/tasks/assigning.server.ts';
import { assertManagesTasks, createTasks } from '#features/tasks/tasks/creating.server.ts';
import { clientsWithTask, isUntouched } from '#features/tasks/tasks/of-template.server.ts';
import { DAY } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { notFound, type PortalError } from '#platform/runtime/errors.server.ts';
import { planKey, plannedTask, type PlannedTask } from './planning.server.ts';
import { remindNow, type RemindResult } from '#features/tasks/task-reminders/remind-now.server.ts';
import { isUndoable, MAX_AT_ONCE, type BatchAction, type RowProblem } from './task-batches.ts';

/** What a batch does with each of its rows, and with what: a task to create, or the reason, date or person of a change. */
interface TaskBatch {
  action: BatchAction;
  values: unknown;
}

/** Tasks that are created, or changed: what becomes of each row of a batch. */
export const taskBatchKind: BatchKind<TaskBatch, StoredRow> = {
  name: 'tasks',
  atOnce: { running: 50, undoing: 50 },
  inRequest: MAX_AT_ONCE,
  inputOf,
  assertMay(actor, { createdBy }) {
    assertManagesTasks(actor);
    if (createdBy !== actor.contactId) throw notFound();
  },
  rows: rowsIn,
  run: runRows,
  async undo(actor, { input }, rows) {
    for (const row of rows.filter(({ state }) => state === 'done')) await undoRow(actor, input.action, row);
  },
  refuse: refuseRow,
  isUndoable: ({ input }) => isUndoable(input.action),
  auditOf: (event, batch) => Promise.resolve(auditOf(event, batch)),
  lasts: { unused: 7 * DAY, rows: 60 * DAY },
  async remove(batches) {
    await db().deleteFrom('task_batches').where('batch_id', 'in', batches).execute();
  },
};

async function inputOf(batchId: string): Promise<TaskBatch> {
  const row = await db()
    .selectFrom('task_batches')
    .select(['action', 'input'])
    .where('batch_id', '=', batchId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return { action: row.action, values: JSON.parse(decryptFrom('task_batches.input', batchId, row.input)) };
}

function rowsIn({ id }: { id: string }, { first, last }: Span) {
  return db()
    .selectFrom('task_batch_rows')
    .selectAll()
    .where('batch_id', '=', id)
    .where('number', '>=', first)
    .where('number', '<=', last)
    .orderBy('number')
    .execute();
}

type StoredRow = Awaited<ReturnType<typeof rowsIn>>[number];

function auditOf(event: BatchEvent, { input: { action }, total }: BatchOf<TaskBatch>) {
  if (event === 'begun') return { action: 'task-batch.start' as const, details: { action, total } };
  if (event === 'stopped') return { action: 'task-batch.stop' as const };
  if (event === 'undoing') return { action: 'task-batch.undo' as const, details: { action } };
  return undefined;
}

const changeInput = z.strictObject({
  reason: z.string().optional(),
  dueDate: z.string().optional(),
  responsible: z.string().optional(),
});

async function runRows(
  actor: Actor,
  { input: { action, values } }: BatchOf<TaskBatch>,
  rows: readonly StoredRow[],
): Promise<void> {
  const waiting = rows.filter(({ state }) => state === 'waiting');
  if (action === 'create') return createRows(actor, waiting, plannedTask.parse(values));
  if (action === 'remind') return remindRows(actor, waiting);
  const { reason, responsible, dueDate } = changeInput.parse(values);
  for (const row of waiting) {
    if (action === 'assign') await assignTask(actor, row.task_id, responsible || null);
    else
      await performAction(actor, row.task_id, action, {
        reason,
        ...(action === 'reschedule' && { dueDate: dueDate || null }),
      });
    await storeRow(row, { state: 'done' });
  }
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

/** Undoes a row that is done, if no client has begun with the task and nobody has changed it since. */
async function undoRow(actor: Actor, action: BatchAction, row: StoredRow): Promise<void> {
  const { task_id: taskId, before_value: before } = row;
  if (action === 'create' && !(await isUntouched(taskId)))
    return storeRow(row, { state: 'kept', problem: 'TOUCHED' });
  if (action === 'create') await performAction(actor, taskId, 'delete');
  if (action === 'delete') await performAction(actor, taskId, 'restore');
  if (action === 'reschedule')
    await performAction(actor, taskId, 'reschedule', { dueDate: before || null, isUndo: true });
  if (action === 'assign') await assignTask(actor, taskId, before || null);
  await storeRow(row, { state: 'undone' });
}

async function refuseRow(
  { state }: BatchOf<TaskBatch>,
  row: StoredRow,
  { code }: PortalError,
): Promise<void> {
  await storeRow(row, {
    state: state === 'undoing' ? 'kept' : 'failed',
    problem: code === 'NOT_FOUND' ? 'GONE' : 'CHANGED',
  });
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
