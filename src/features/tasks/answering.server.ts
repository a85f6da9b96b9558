import { actorNow } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import type { AnswerChange } from '#features/questionnaires/posted-answers.server.ts';
import type { Template } from '#features/questionnaires/questionnaires.ts';
import { progressOf, questionAt } from '#features/questionnaires/rules.ts';
import { now } from '#platform/clock.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { assertPossible } from './acting.server.ts';
import { answersOf, textAnswer, writeAnswer } from './internal/answers.server.ts';
import { updateGroupState } from './internal/group-state.server.ts';
import { lockTask, type TaskRow } from './scope.server.ts';
import { formOfTask, questionAnswers } from './task-forms.server.ts';

/** An answer that somebody else has changed since the page was loaded. */
export interface AnswerConflict {
  path: string;
  /** What is stored now, and who entered it. */
  stored: unknown;
  changedBy: string;
}

/**
 * Saves answers of a contact to the questions of a task, and starts it. `bases` are the versions that the page showed;
 * an answer that has changed since is not overwritten but returned. NOT_FOUND, CLOSED, EXPIRED; INVALID for a path
 * that is no question of the task.
 */
export async function saveAnswers(
  actor: Actor,
  taskId: string,
  changes: readonly AnswerChange[],
  bases?: ReadonlyMap<string, number>,
): Promise<AnswerConflict[]> {
  if (changes.length === 0) return [];
  return inTransaction(async () => {
    const current = await actorNow(actor);
    const row = await lockTask(current, taskId);
    await assertPossible(current, row, 'save');
    const form = await formOfTask(row);
    if (!form) throw new PortalError('INVALID', { field: 'changes' });
    const stored = (await answersOf([taskId])).get(taskId);
    const conflicts: AnswerConflict[] = [];
    for (const { path, value } of changes) {
      if (!isPathOf(form, path)) throw new PortalError('INVALID', { field: path });
      const before = stored?.get(path);
      const isChanged = bases !== undefined && (before?.version ?? 0) !== (bases.get(path) ?? 0);
      if (isChanged && JSON.stringify(before?.value) !== JSON.stringify(value))
        conflicts.push({ path, stored: before?.value, changedBy: before?.changedBy ?? '' });
      else await writeAnswer(current, taskId, path, value ?? undefined);
    }
    await afterSaving(current, row, form);
    return conflicts;
  });
}

const isPathOf = (form: Template, path: string): boolean => {
  const [sectionKey, itemKey, ...rest] = path.replace(/#order$/, '').split('.');
  if (!path.endsWith('#order')) return questionAt(form, path) !== undefined;
  const section = form.sections.find(({ key }) => key === sectionKey);
  return (
    rest.length === 0 && section?.items.some(({ key, kind }) => key === itemKey && kind === 'group') === true
  );
};

/** Says why a step does not apply, or with an empty reason that it does. Its answers stay. EMPTY, NOT_FOUND, CLOSED. */
export async function setStepNotApplicable(
  actor: Actor,
  taskId: string,
  number: number,
  reason: string,
): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    const row = await lockTask(current, taskId);
    await assertPossible(current, row, 'save');
    await writeAnswer(current, taskId, `${number}#not-apply`, reason.trim());
    await afterSaving(current, row, await formOfTask(row));
  });
}

/** Saves the comment of a contact on a step, or with 0 on the task. NOT_FOUND, CLOSED. */
export async function saveComment(
  actor: Actor,
  taskId: string,
  number: number,
  comment: string,
): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    const row = await lockTask(current, taskId);
    await assertPossible(current, row, 'save');
    await writeAnswer(current, taskId, `${number === 0 ? '' : number}#comment`, comment.trim());
    await afterSaving(current, row, await formOfTask(row));
  });
}

/** Starts the task, and computes which of its steps are settled. */
export async function afterSaving(actor: Actor, row: TaskRow, form: Template | undefined): Promise<void> {
  if (form) await settleSteps(row.task_id, form);
  await db()
    .updateTable('tasks')
    .set({ status: actor.staff ? row.status : 'WIP', version: row.version + 1, changed_at: now() })
    .where('task_id', '=', row.task_id)
    .execute();
  await updateGroupState({ groupId: row.group_id, companyId: row.company_id });
}

async function settleSteps(taskId: string, form: Template): Promise<void> {
  const { answers } = await questionAnswers(taskId);
  const progress = new Map(progressOf(form, answers).map((section) => [section.key, section]));
  const comments = (await answersOf([taskId])).get(taskId);
  const steps = await db()
    .selectFrom('task_steps')
    .select(['step_id', 'number', 'key', 'is_settled', 'is_required'])
    .where('task_id', '=', taskId)
    .execute();
  for (const step of steps) {
    const section = progress.get(step.key);
    const isNotApplicable = textAnswer(comments, `${step.number}#not-apply`) !== '';
    const isSettled = !section || isNotApplicable || section.isSettled ? 1 : 0;
    const isRequired = section ? 1 : 0;
    if (isSettled !== step.is_settled || isRequired !== step.is_required)
      await db()
        .updateTable('task_steps')
        .set({ is_settled: isSettled, is_required: isRequired })
        .where('step_id', '=', step.step_id)
        .execute();
  }
}
