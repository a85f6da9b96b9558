import { actorNow, assertRecentlyAuthenticated } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { isMasked } from '#features/tasks/questionnaires/answer-values.ts';
import { displayValue } from '#features/tasks/questionnaires/display.server.ts';
import { questionAt, textIn } from '#features/tasks/questionnaires/rules.ts';
import { assertManagesTasks, managesTasks } from '#features/tasks/tasks/creating.server.ts';
import { taskRow, type TaskRow } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask } from '#features/tasks/tasks/task-forms.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { frozenSubmission } from './internal/submission-content.server.ts';

/** Masked answers of a page that can be shown in full, and the one that is. */
export interface Revealing {
  revealed: { path: string; text: string } | undefined;
}

/** The anchor of a masked answer. */
export const answerId = (path: string): string => `answer-${path.replaceAll('.', '-')}`;

/** Whether the actor may see the masked answers of a task in full: if they decide about it, once it is submitted. */
export const mayReveal = (actor: Actor, { status }: Pick<TaskRow, 'status'>): boolean =>
  managesTasks(actor) && (status === 'Received' || status === 'Done');

/**
 * Returns a masked answer of a task's submission in full, to those who decide about the task. The audit log records each
 * time with the name of the question, never with the answer. NOT_FOUND, also for a question without an answer and before a submission;
 * FORBIDDEN; STEP_UP unless recently authenticated.
 */
export async function revealAnswer(
  session: Session,
  taskId: string,
  { path, lang }: { path: string; lang: Lang },
): Promise<string> {
  return inTransaction(async () => {
    const actor = await actorNow(session.actor);
    assertManagesTasks(actor);
    const row = await taskRow(actor, taskId);
    assertRecentlyAuthenticated(session);
    const submission = mayReveal(actor, row) ? await frozenSubmission(taskId) : undefined;
    const form = submission && (await formOfTask({ ...row, form_id: submission.formId ?? null }));
    const question = form && questionAt(form, path);
    const answer = submission?.answers.find((each) => each.path === path);
    if (!submission || !question || !answer || !isMasked(question)) throw notFound();
    await audit({
      companyId: row.company_id,
      actor: actor.contactId,
      action: 'task.reveal',
      target: taskId,
      clientId: row.client_id,
      details: { submission: submission.number, question: textIn(question.label, lang, form), path },
    });
    return displayValue(question, answer.value, { lang, template: form, isRevealed: true });
  });
}
