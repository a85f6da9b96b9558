import { actorNow } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { displayValue } from '#features/questionnaires/display.server.ts';
import type { Answers, Template } from '#features/questionnaires/questionnaires.ts';
import { questionAt, textIn } from '#features/questionnaires/rules.ts';
import { now } from '#platform/clock.server.ts';
import { newId } from '#platform/crypto.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/encryption.server.ts';
import { notFound } from '#platform/errors.server.ts';
import type { Lang } from '#platform/languages.ts';
import { assertPossible } from './acting.server.ts';
import { afterSaving } from './form-state.server.ts';
import { writeAnswer } from './internal/answers.server.ts';
import { lockTask } from './scope.server.ts';
import { formOfTask } from './task-forms.server.ts';

/*
 * Two people may change one answer at the same time. The first one stays; what the second one entered is kept beside it
 * until somebody chooses, so that nothing typed is lost.
 */

/** Keeps what was entered where somebody else has changed the answer; returns its id. */
export async function keepAnswer(
  { contactId }: Pick<Actor, 'contactId'>,
  taskId: string,
  path: string,
  value: unknown,
): Promise<string> {
  const keptId = newId('kept');
  await db()
    .insertInto('task_kept_answers')
    .values({
      kept_id: keptId,
      task_id: taskId,
      path,
      value: encryptFor('task_kept_answers.value', keptId, JSON.stringify(value)),
      kept_at: now(),
      kept_by: contactId,
    })
    .execute();
  return keptId;
}

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
  return rows.flatMap((row) => {
    const question = questionAt(form, row.path);
    if (!question) return [];
    const text = (value: unknown): string => displayValue(question, value, { lang, template: form });
    return [
      {
        keptId: row.kept_id,
        path: row.path,
        question: textIn(question.label, lang, form),
        stored: text(answers[row.path]),
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
    if (isKept) {
      const value: unknown = JSON.parse(decryptFrom('task_kept_answers.value', keptId, row.value));
      await writeAnswer(current, taskId, row.path, value ?? undefined);
    }
    await db().deleteFrom('task_kept_answers').where('kept_id', '=', keptId).execute();
    await afterSaving(current, task, await formOfTask(task));
  });
}
