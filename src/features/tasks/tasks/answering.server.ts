import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { Change, Outcome, StoredAnswer } from '#features/tasks/answer-editor/merging.ts';
import { saveChange, type AnswerStore } from '#features/tasks/answer-editor/saving.server.ts';
import type { AnswerChange, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { isPathOf } from '#features/tasks/questionnaires/paths.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { assertPossible } from './acting.server.ts';
import { afterSaving } from './form-state.server.ts';
import { answersOf, writeAnswer } from './answers.server.ts';
import { openItemsOf } from './item-lock.server.ts';
import { dropKept, keepAnswer, keptBy } from './kept-answers.server.ts';
import { lockTask, type TaskRow } from './scope.server.ts';
import { formOfTask } from './task-forms.server.ts';

/*
 * Saves what people enter in a task. What becomes of a change that meets another one is decided in
 * `answer-editor/merging.ts`.
 */

/** An answer that somebody else has changed since the page was loaded. */
export interface AnswerConflict {
  path: string;
  /** The id of what was entered, which is kept until one of the two is chosen. */
  keptId: string;
}

/**
 * Saves answers of a contact to the questions of a task, and starts it. `bases` are the versions that the page showed;
 * an answer that has changed since is not overwritten: what was entered is kept beside it. NOT_FOUND, CLOSED, EXPIRED;
 * INVALID for a path that is no question of the task.
 */
export async function saveAnswers(
  actor: Actor,
  taskId: string,
  changes: readonly AnswerChange[],
  bases?: ReadonlyMap<string, number>,
): Promise<AnswerConflict[]> {
  if (changes.length === 0) return [];
  return whileSaving(actor, taskId, async (save, form) => {
    const conflicts: AnswerConflict[] = [];
    for (const change of changes) {
      if (!form || !isPathOf(form, change.path)) throw new PortalError('INVALID', { field: change.path });
      const base = bases && (bases.get(change.path) ?? 0);
      const outcome = await save({ ...change, base });
      if (outcome.kind === 'conflict') conflicts.push({ path: change.path, keptId: outcome.keptId });
    }
    return conflicts;
  });
}

type Save = (change: Change) => Promise<Outcome>;

/**
 * Runs changes under the lock of their task, which they start. NOT_FOUND, CLOSED, EXPIRED; LOCKED for an item that the
 * firm has accepted while it returned others.
 */
export async function whileSaving<Result>(
  actor: Actor,
  taskId: string,
  run: (
    save: Save,
    form: Template | undefined,
    stored: ReadonlyMap<string, StoredAnswer>,
    row: TaskRow,
  ) => Promise<Result>,
): Promise<Result> {
  return inTransaction(async () => {
    const current = await actorNow(actor);
    const row = await lockTask(current, taskId);
    await assertPossible(current, row, 'save');
    const form = await formOfTask(row);
    const stored = (await answersOf([taskId])).get(taskId) ?? new Map<string, StoredAnswer>();
    const assertOpen = await openItemsOf(row, form);
    const store = storeOf(current, taskId);
    const result = await run(
      async (change) => {
        assertOpen(change);
        return saveChange(store, stored, { contactId: current.contactId, change });
      },
      form,
      stored,
      row,
    );
    await afterSaving(current, row, form);
    return result;
  });
}

const storeOf = (actor: Actor, taskId: string): AnswerStore => ({
  keptBy: (path, tab) => keptBy(taskId, path, tab),
  keepAnswer: (entered) => keepAnswer(actor, taskId, entered),
  dropKept,
  writeAnswer: (path, value, editor) => writeAnswer(actor, taskId, path, value, editor),
});

/** Says why a step does not apply, or with an empty reason that it does. Its answers stay. NOT_FOUND, CLOSED. */
export const setStepNotApplicable = (
  actor: Actor,
  taskId: string,
  number: number,
  reason: string,
): Promise<Outcome> =>
  whileSaving(actor, taskId, (save) => save({ path: `${number}#not-apply`, value: reason.trim() || null }));

/**
 * Saves the comment of a contact on a step, or with 0 on the task. With `base`, a comment that somebody else has changed
 * since that version is kept beside it. NOT_FOUND, CLOSED.
 */
export const saveComment = (
  actor: Actor,
  taskId: string,
  { number, comment, base }: { number: number; comment: string; base?: number | undefined },
): Promise<Outcome> =>
  whileSaving(actor, taskId, (save) =>
    save({ path: `${number === 0 ? '' : number}#comment`, value: comment.trim() || null, base }),
  );
