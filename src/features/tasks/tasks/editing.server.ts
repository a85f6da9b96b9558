import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { assertPossible, assertVersion, performAction } from './acting.server.ts';
import { assertManagesTasks } from './creating.server.ts';
import { answersOf, textAnswer, writeAnswer } from './answers.server.ts';
import { updateGroupState } from './internal/group-state.server.ts';
import { changedData, changedStepData } from './free-objects.server.ts';
import { taskOf } from './reading.server.ts';
import type { TaskAction } from './rules.ts';
import { openItemsOf } from './item-lock.server.ts';
import { lockTask, taskRow, type TaskRow } from './scope.server.ts';
import { formOfTask } from './task-forms.server.ts';
import type { StepChange, Task, TaskChange, TaskStatus } from './tasks.ts';

/**
 * The call of the spec that changes a task. Its status stands for an action: what a contact marks as done or received
 * is submitted, and the answer has the status that the task really has. Throws as {@link performAction} does.
 */
export async function patchTask(actor: Actor, taskId: string, change: TaskChange): Promise<Task> {
  return inTransaction(async () => {
    let version = change.version;
    if (hasContent(change)) {
      await saveContent(actor, taskId, change);
      version = undefined; // checked, and our own change has raised it
    }
    const action = change.status && actionFor(actor, await taskRow(actor, taskId), change.status);
    if (action)
      return performAction(actor, taskId, action, {
        version,
        reason: change.doesNotApplyComment,
        triggers: actor.staff ? change.triggers : undefined,
      });
    if (actor.staff && (change.dueDate !== undefined || change.expirationDate !== undefined))
      return performAction(actor, taskId, 'reschedule', { ...change, version });
    return taskOf(actor, taskId, { data: true, steps: true });
  });
}

const hasContent = ({ comment, data, doesNotApplyComment, status }: TaskChange): boolean =>
  comment !== undefined || data !== undefined || (doesNotApplyComment !== undefined && status === undefined);

/** The action that setting a status means for this side; NOT_POSSIBLE if it means none. */
function actionFor(actor: Actor, row: TaskRow, status: TaskStatus): TaskAction {
  const action: TaskAction | undefined = actor.staff
    ? {
        New: undefined,
        WIP: 'reopen' as const,
        Done: 'accept' as const,
        Cancelled: 'cancel' as const,
        Received: undefined,
      }[status]
    : {
        New: undefined,
        WIP: row.status === 'Received' ? ('take-back' as const) : ('start' as const),
        Done: 'submit' as const,
        Cancelled: 'set-not-applicable' as const,
        Received: 'submit' as const,
      }[status];
  if (!action) throw new PortalError('NOT_POSSIBLE', { status });
  return action;
}

/** Saves the free object and comments of a task; a contact's first change starts it. */
async function saveContent(actor: Actor, taskId: string, change: TaskChange): Promise<void> {
  const current = await actorNow(actor);
  if (current.staff) assertManagesTasks(current);
  const row = await lockTask(current, taskId);
  await assertVersion(current, row, change.version);
  if (!current.staff) await assertPossible(current, row, 'save');
  if (change.comment !== undefined) await writeAnswer(current, taskId, '#comment', change.comment);
  if (change.status === undefined && change.doesNotApplyComment !== undefined)
    await writeAnswer(current, taskId, '#not-apply', change.doesNotApplyComment);
  await db()
    .updateTable('tasks')
    .set({
      version: row.version + 1,
      changed_at: now(),
      ...changedData(row, change, current.staff),
      ...(!current.staff && { status: 'WIP' }),
    })
    .where('task_id', '=', taskId)
    .execute();
  await updateGroupState({ groupId: row.group_id, companyId: row.company_id });
}

/**
 * Changes a step: its data, its comment, or why it does not apply, each cleared by an empty text. It is settled once
 * it has data or does not apply. A contact's first change starts the task. NOT_FOUND for another task or step,
 * EDIT_CONFLICT if it has changed since `version`; CLOSED or EXPIRED.
 */
export async function patchStep(
  actor: Actor,
  taskId: string,
  number: number,
  change: StepChange,
): Promise<Task> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    if (current.staff) assertManagesTasks(current);
    const row = await lockTask(current, taskId);
    if (!current.staff) await assertPossible(current, row, 'save');
    const step = await db()
      .selectFrom('task_steps')
      .selectAll()
      .where('task_id', '=', taskId)
      .where('number', '=', number)
      .executeTakeFirst();
    if (!step) throw notFound();
    if (change.version !== undefined && change.version !== step.version)
      throw new PortalError('EDIT_CONFLICT', {
        current: await taskOf(current, taskId, { data: true, steps: true }),
      });
    if (change.comment !== undefined) await writeAnswer(current, taskId, `${number}#comment`, change.comment);
    if (change.dnaComment !== undefined) {
      (await openItemsOf(row, await formOfTask(row)))({ path: `${number}#not-apply`, value: null });
      await writeAnswer(current, taskId, `${number}#not-apply`, change.dnaComment);
    }
    const { data, columns } = changedStepData(row, step, change, current.staff);
    const reason = textAnswer((await answersOf([taskId])).get(taskId), `${number}#not-apply`);
    await db()
      .updateTable('task_steps')
      .set({
        version: step.version + 1,
        is_settled: Object.keys(data).length > 0 || reason !== '' ? 1 : 0,
        ...columns,
      })
      .where('step_id', '=', step.step_id)
      .execute();
    await db()
      .updateTable('tasks')
      .set({
        version: row.version + 1,
        changed_at: now(),
        ...(!current.staff && { status: 'WIP' }),
      })
      .where('task_id', '=', taskId)
      .execute();
    await updateGroupState({ groupId: row.group_id, companyId: row.company_id });
  });
  return taskOf(actor, taskId, { data: true, steps: true });
}
