import type { Actor } from '#features/base/people/people.ts';
import type { Answers, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { problemsOf, progressOf, type Problem } from '#features/tasks/questionnaires/rules.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { textAnswer } from './answers.server.ts';
import { updateGroupState } from './internal/group-state.server.ts';
import type { TaskRow } from './scope.server.ts';
import { questionAnswers, type TaskAnswers } from './task-forms.server.ts';

/** The sections that a contact has set to "does not apply". */
export async function notApplicableSections(
  taskId: string,
  { stored }: Pick<TaskAnswers, 'stored'>,
): Promise<Set<string>> {
  const steps = await db()
    .selectFrom('task_steps')
    .select(['number', 'key'])
    .where('task_id', '=', taskId)
    .execute();
  return new Set(
    steps.filter(({ number }) => textAnswer(stored, `${number}#not-apply`) !== '').map(({ key }) => key),
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
  const { answers, stored } = await questionAnswers(taskId);
  const progress = new Map(progressOf(form, answers).map((section) => [section.key, section]));
  const steps = await db()
    .selectFrom('task_steps')
    .select(['step_id', 'number', 'key', 'is_settled', 'is_required'])
    .where('task_id', '=', taskId)
    .execute();
  for (const step of steps) {
    const section = progress.get(step.key);
    const isNotApplicable = textAnswer(stored, `${step.number}#not-apply`) !== '';
    const isSettled = !section || isNotApplicable || section.isSettled ? 1 : 0;
    const isRequired = section && (isNotApplicable || !section.isOptional) ? 1 : 0;
    if (isSettled !== step.is_settled || isRequired !== step.is_required)
      await db()
        .updateTable('task_steps')
        .set({ is_settled: isSettled, is_required: isRequired })
        .where('step_id', '=', step.step_id)
        .execute();
  }
}
