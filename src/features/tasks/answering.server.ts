import { actorNow } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import type { AnswerChange } from '#features/questionnaires/posted-answers.server.ts';
import type { Template } from '#features/questionnaires/questionnaires.ts';
import { questionAt } from '#features/questionnaires/rules.ts';
import { inTransaction } from '#platform/database.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { assertPossible } from './acting.server.ts';
import { afterSaving } from './form-state.server.ts';
import { answersOf, writeAnswer } from './internal/answers.server.ts';
import { keepAnswer } from './kept-answers.server.ts';
import { lockTask } from './scope.server.ts';
import { formOfTask } from './task-forms.server.ts';

/** An answer that somebody else has changed since the page was loaded. */
export interface AnswerConflict {
  path: string;
  /** The id of what was entered, which is kept until one of the two is chosen. */
  keptId: string;
}

/**
 * Saves answers of a contact to the questions of a task, and starts it. `bases` are the versions that the page showed;
 * an answer that has changed since is not overwritten: what was entered is kept beside it. NOT_FOUND, CLOSED, EXPIRED; INVALID for a path
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
        conflicts.push({ path, keptId: await keepAnswer(current, taskId, path, value) });
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
