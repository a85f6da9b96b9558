import { submittedOf } from '#features/tasks/task-submissions/submission-files.server.ts';
import { textAnswer } from '#features/tasks/tasks/answers.server.ts';
import { taskRow } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask, questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import { taskTitle } from '#features/tasks/tasks/titles.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';

/** A task that its client has just submitted, or says does not apply. */
export interface SentTask {
  taskId: string;
  clientId: string;
  title: string;
  kind: 'submitted' | 'not-applicable';
  /** When it was submitted (epoch ms), and the number of the confirmation. */
  submittedAt: number | null;
  receipt: number | null;
}

/** What the page says about a task after its submission; undefined if there is nothing (any longer) to say. */
export async function sentTask(actor: Actor, taskId: string, lang: Lang): Promise<SentTask | undefined> {
  try {
    const row = await taskRow(actor, taskId);
    const sent = {
      taskId,
      clientId: row.client_id,
      title: taskTitle(lang, { ...row, taxYear: row.tax_year }, await formOfTask(row)),
    };
    if (row.status === 'Received' || row.status === 'Done') {
      const { submission } = await submittedOf(actor, taskId, lang);
      return { ...sent, kind: 'submitted', submittedAt: row.submitted_at, receipt: submission.receipt };
    }
    const { stored } = await questionAnswers(taskId);
    if (row.status !== 'Cancelled' || textAnswer(stored, '#not-apply') === '') return undefined;
    return { ...sent, kind: 'not-applicable', submittedAt: null, receipt: null };
  } catch (error) {
    if (refusal(error)?.code !== 'NOT_FOUND') throw error;
    return undefined;
  }
}
