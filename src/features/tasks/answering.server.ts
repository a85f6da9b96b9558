import { actorNow } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { isSameAnswer } from '#features/questionnaires/answer-values.ts';
import type { AnswerChange } from '#features/questionnaires/posted-answers.server.ts';
import type { Template } from '#features/questionnaires/questionnaires.ts';
import { isRowId, questionAt } from '#features/questionnaires/rules.ts';
import { now } from '#platform/clock.server.ts';
import { inTransaction } from '#platform/database.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { assertPossible } from './acting.server.ts';
import { afterSaving } from './form-state.server.ts';
import { answersOf, writeAnswer, type Editor, type StoredAnswer } from './answers.server.ts';
import { openItemsOf } from './item-lock.server.ts';
import { dropKept, keepAnswer, keptBy } from './kept-answers.server.ts';
import { lockTask, type TaskRow } from './scope.server.ts';
import { formOfTask } from './task-forms.server.ts';

/*
 * Saves what people enter in a task. Each answer has a version: a change that is based on another one never overwrites
 * it, but is kept beside it until one of the two is chosen, so that nothing typed is lost.
 */

/** A new value of a path, based on a version: 0 for none. Without a base it is written whatever there is. */
interface Change extends AnswerChange {
  base?: number | undefined;
  editor?: Editor | undefined;
}

/** What became of a change. `version` is the one that is stored now. */
export type Outcome =
  | { kind: 'saved'; version: number }
  /** The same tab has sent a later change already: this one arrived late and is written nowhere. */
  | { kind: 'superseded'; version: number }
  /** Somebody else has changed the answer meanwhile. */
  | { kind: 'conflict'; version: number; keptId: string; stored: StoredAnswer | undefined };

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
  run: (save: Save, form: Template | undefined, stored: ReadonlyMap<string, StoredAnswer>) => Promise<Result>,
): Promise<Result> {
  return inTransaction(async () => {
    const current = await actorNow(actor);
    const row = await lockTask(current, taskId);
    await assertPossible(current, row, 'save');
    const form = await formOfTask(row);
    const stored = (await answersOf([taskId])).get(taskId) ?? new Map<string, StoredAnswer>();
    const assertOpen = await openItemsOf(row, form);
    const result = await run(
      async (change) => {
        assertOpen(change);
        return saveChange(current, row, stored, change);
      },
      form,
      stored,
    );
    await afterSaving(current, row, form);
    return result;
  });
}

async function saveChange(
  actor: Actor,
  { task_id: taskId }: TaskRow,
  stored: Map<string, StoredAnswer>,
  change: Change,
): Promise<Outcome> {
  const { path, base, editor } = change;
  const before = stored.get(path);
  const version = before?.version ?? 0;
  const isOwn = editor !== undefined && before?.editor.tab === editor.tab;
  if (isOwn && editor.sequence < before.editor.sequence) return { kind: 'superseded', version };
  const kept = editor && (await keptBy(taskId, path, editor.tab));
  if (kept && editor.sequence < kept.sequence) return { kind: 'superseded', version };
  const isCurrent = base === undefined || base === version;
  const isMerged = path.endsWith('#order') && (!isCurrent || change.known !== undefined);
  const value = isMerged ? mergedRows(before?.value, change) : change.value;
  if (!isCurrent && !isOwn && !path.endsWith('#order') && !isSameAnswer(before?.value ?? null, value)) {
    const keptId = await keepAnswer(actor, taskId, { path, value, editor });
    return { kind: 'conflict', version, keptId, stored: before };
  }
  // what the tab entered in a conflict is decided by what it enters now
  if (kept && kept.sequence < editor.sequence) await dropKept(kept.keptId);
  if (before && isSameAnswer(before.value, value)) return { kind: 'saved', version };
  const written = await writeAnswer(actor, taskId, path, value ?? undefined, editor);
  stored.set(path, {
    path,
    value,
    version: written,
    changedAt: now(),
    changedBy: actor.contactId,
    editor: editor ?? { tab: '', sequence: 0 },
  });
  return { kind: 'saved', version: written };
}

/** The rows of a group after two people have added and removed some: all that were added, none that was removed. */
function mergedRows(stored: unknown, { value, base, known: seen = [] }: Change): string[] {
  const sent = rowIds(value);
  // before the first version there was no row to remove: those that the page showed are new
  const known = base === 0 ? [] : seen;
  const left = rowIds(stored).filter((id) => sent.includes(id) || !known.includes(id));
  return [...left, ...sent.filter((id) => !known.includes(id) && !left.includes(id))];
}

const rowIds = (value: unknown): string[] => (Array.isArray(value) ? value.filter(isRowId) : []);

/** Whether the path names a question of the form, or the rows of one of its groups. */
export const isPathOf = (form: Template, path: string): boolean => {
  const [sectionKey, itemKey, ...rest] = path.replace(/#order$/, '').split('.');
  if (!path.endsWith('#order')) return questionAt(form, path) !== undefined;
  const section = form.sections.find(({ key }) => key === sectionKey);
  return (
    rest.length === 0 && section?.items.some(({ key, kind }) => key === itemKey && kind === 'group') === true
  );
};

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
