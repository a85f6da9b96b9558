import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { Editor, KeptChange } from '#features/tasks/answer-editor/merging.ts';
import { displayValue } from '#features/tasks/questionnaires/display.server.ts';
import type { Answers, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { questionAt, textIn } from '#features/tasks/questionnaires/rules.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { assertPossible } from './acting.server.ts';
import { afterSaving } from './form-state.server.ts';
import { answersOf, textAnswer, writeAnswer } from './answers.server.ts';
import { openItemsOf } from './item-lock.server.ts';
import { lockTask } from './scope.server.ts';
import { formOfTask, isComment } from './task-forms.server.ts';

/*
 * Two people may change one answer at the same time. The first one stays; what the second one entered is kept beside it
 * until somebody chooses, so that nothing typed is lost.
 */

/**
 * Keeps what was entered where somebody else has changed the answer; returns its id. What the same tab entered there
 * before is replaced, unless it is later.
 */
export async function keepAnswer(
  { contactId }: Pick<Actor, 'contactId'>,
  taskId: string,
  { path, value, editor }: { path: string; value: unknown; editor?: Editor | undefined },
): Promise<string> {
  const earlier = editor && (await keptBy(taskId, path, editor.tab));
  if (earlier && earlier.sequence >= editor.sequence) return earlier.keptId;
  const keptId = earlier?.keptId ?? newId('kept');
  const change = {
    value: encryptFor('task_kept_answers.value', keptId, JSON.stringify(value)),
    kept_at: now(),
    kept_by: contactId,
    kept_by_tab: editor?.tab ?? '',
    tab_sequence: editor?.sequence ?? 0,
  };
  if (earlier)
    await db().updateTable('task_kept_answers').set(change).where('kept_id', '=', keptId).execute();
  else
    await db()
      .insertInto('task_kept_answers')
      .values({ kept_id: keptId, task_id: taskId, path, ...change })
      .execute();
  return keptId;
}

/** What a tab entered at a path and is kept, with the number of its change. */
export async function keptBy(taskId: string, path: string, tab: string): Promise<KeptChange | undefined> {
  const row = await db()
    .selectFrom('task_kept_answers')
    .select(['kept_id', 'tab_sequence'])
    .where('task_id', '=', taskId)
    .where('path', '=', path)
    .where('kept_by_tab', '=', tab)
    .executeTakeFirst();
  return row && { keptId: row.kept_id, sequence: row.tab_sequence };
}

/** Forgets what was kept: its tab has decided. */
export const dropKept = (keptId: string): Promise<unknown> =>
  db().deleteFrom('task_kept_answers').where('kept_id', '=', keptId).execute();

/** Whether a choice between two answers is open. */
export async function hasKeptAnswers(taskId: string): Promise<boolean> {
  const row = await db()
    .selectFrom('task_kept_answers')
    .select('kept_id')
    .where('task_id', '=', taskId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Two answers to one question as texts. */
export interface KeptAnswer {
  keptId: string;
  path: string;
  question: string;
  stored: string;
  kept: string;
  keptBy: string;
}

/** The open choices of a task, the oldest first. */
export async function keptAnswers(
  lang: Lang,
  taskId: string,
  form: Template,
  answers: Answers,
): Promise<KeptAnswer[]> {
  const rows = await db()
    .selectFrom('task_kept_answers')
    .innerJoin('contacts', 'contacts.contact_id', 'task_kept_answers.kept_by')
    .selectAll('task_kept_answers')
    .select('contacts.full_name')
    .where('task_id', '=', taskId)
    .orderBy('kept_at')
    .orderBy('kept_id')
    .execute();
  if (rows.length === 0) return [];
  const comments = (await answersOf([taskId])).get(taskId);
  return rows.flatMap((row) => {
    const question = questionAt(form, row.path);
    if (!question && !isComment(row.path)) return [];
    const text = (value: unknown): string =>
      question
        ? displayValue(question, value, { lang, template: form })
        : typeof value === 'string'
          ? value
          : '';
    return [
      {
        keptId: row.kept_id,
        path: row.path,
        question: question ? textIn(question.label, lang, form) : translationsFor(lang, 'tasks')('comment'),
        stored: question ? text(answers[row.path]) : textAnswer(comments, row.path),
        kept: text(JSON.parse(decryptFrom('task_kept_answers.value', row.kept_id, row.value))),
        keptBy: row.full_name,
      },
    ];
  });
}

/** Chooses the kept answer, or with `isKept` false the stored one. NOT_FOUND, CLOSED. */
export async function chooseAnswer(
  actor: Actor,
  taskId: string,
  keptId: string,
  isKept: boolean,
): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    const task = await lockTask(current, taskId);
    await assertPossible(current, task, 'save');
    const row = await db()
      .selectFrom('task_kept_answers')
      .selectAll()
      .where('kept_id', '=', keptId)
      .where('task_id', '=', taskId)
      .executeTakeFirst();
    if (!row) throw notFound();
    const form = await formOfTask(task);
    if (isKept) {
      (await openItemsOf(task, form))({ path: row.path, value: null });
      const value: unknown = JSON.parse(decryptFrom('task_kept_answers.value', keptId, row.value));
      await writeAnswer(current, taskId, row.path, value ?? undefined);
    }
    await dropKept(keptId);
    await afterSaving(current, task, form);
  });
}
