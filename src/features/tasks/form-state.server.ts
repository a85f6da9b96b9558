import type { Answers, Template } from '#features/questionnaires/questionnaires.ts';
import { problemsOf, type Problem } from '#features/questionnaires/rules.ts';
import { db } from '#platform/database.server.ts';
import { answersOf, textAnswer } from './internal/answers.server.ts';

/** The sections that a contact has set to "does not apply". */
export async function notApplicableSections(taskId: string): Promise<Set<string>> {
  const comments = (await answersOf([taskId])).get(taskId);
  const steps = await db()
    .selectFrom('task_steps')
    .select(['number', 'key'])
    .where('task_id', '=', taskId)
    .execute();
  return new Set(
    steps.filter(({ number }) => textAnswer(comments, `${number}#not-apply`) !== '').map(({ key }) => key),
  );
}

/** What prevents the submission of a task: problems of the sections that apply, warnings aside. */
export const submissionProblems = (
  form: Template,
  answers: Answers,
  notApplicable: ReadonlySet<string>,
): Problem[] =>
  problemsOf(form, answers, 'submit').filter(
    ({ path, isWarning }) => !isWarning && !notApplicable.has(path.split('.')[0] ?? ''),
  );
