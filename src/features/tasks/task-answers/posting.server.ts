import type { Actor } from '#features/base/people/people.ts';
import { versionsIn } from '#features/tasks/answer-editor/posted-versions.ts';
import { lastYearIn } from '#features/tasks/answer-editor/rules.ts';
import { withEntries } from '#features/tasks/questionnaires/lookups.server.ts';
import { postedAnswers } from '#features/tasks/questionnaires/posted-answers.server.ts';
import type { AnswerChange, Answers, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { orderPath, rowsOf, type Problem } from '#features/tasks/questionnaires/rules.ts';
import { saveAnswers, saveComment, type AnswerConflict } from '#features/tasks/tasks/answering.server.ts';
import { commentText } from '#features/tasks/tasks/answers.server.ts';
import { taskRow, type TaskRow } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask, questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { answerOfLastYear, rowOfLastYear, type LastYearRow } from './last-year.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';

/** The comment of a step in its form. */
export const COMMENT = 'comment';

/**
 * Saves a posted section of a task: what is wrong is saved too, and returned as a problem, so that nothing typed is
 * lost. Throws as {@link saveAnswers} does.
 */
export async function saveSection(
  actor: Actor,
  taskId: string,
  { section, form: posted, lang }: { section: string; form: FormData; lang: Lang },
): Promise<{ problems: Problem[]; conflicts: AnswerConflict[] }> {
  const row = await taskRow(actor, taskId);
  const form = await formOfTask(row);
  const number = (form?.sections.findIndex(({ key }) => key === section) ?? -1) + 1;
  if (!form || number === 0) throw notFound();
  const { answers } = await questionAnswers(taskId);
  const context = { companyId: row.company_id, clientId: row.client_id, lang };
  const { changes, problems } = await withLastYear(
    await withEntries(context, form, postedAnswers(form, { section, form: posted, answers, lang })),
    { row, form, section, posted, answers },
  );
  const bases = versionsIn(posted);
  const conflicts = await saveAnswers(actor, taskId, changes, bases);
  const comment = posted.get(COMMENT);
  if (typeof comment !== 'string') return { problems, conflicts };
  const path = `${number}#comment`;
  const outcome = await saveComment(actor, taskId, {
    number,
    comment: commentText(comment),
    base: bases && (bases.get(path) ?? 0),
  });
  if (outcome.kind === 'conflict') conflicts.push({ path, keptId: outcome.keptId });
  return { problems, conflicts };
}

/** What was posted, with last year's answer to the question, or last year's row, whose button was pressed. */
async function withLastYear(
  read: ReturnType<typeof postedAnswers>,
  {
    row,
    form,
    section,
    posted,
    answers,
  }: { row: TaskRow; form: Template; section: string; posted: FormData; answers: Answers },
): Promise<ReturnType<typeof postedAnswers>> {
  const { path } = lastYearIn(posted) ?? {};
  if (!path?.startsWith(`${section}.`)) return read;
  const added = await rowOfLastYear(row, form, path);
  if (added) return { ...read, changes: withRow(read.changes, added, answers) };
  const value = await answerOfLastYear(row, form, path);
  if (value === undefined) return read;
  const isOther = (each: { path: string }): boolean =>
    each.path !== path && !each.path.startsWith(`${path}.`);
  return {
    changes: [...read.changes.filter(isOther), { path, value }],
    problems: read.problems.filter(isOther),
  };
}

/**
 * Adds a row of last year to its group, in place of the first row without any answers if there is one. Answers that it
 * got this year, before it was removed, are kept.
 */
function withRow(
  changes: readonly AnswerChange[],
  { group, id, max, answers: taken }: LastYearRow,
  answers: Answers,
): AnswerChange[] {
  const order = orderPath(group);
  const posted = changes.find(({ path }) => path === order);
  const rows = rowsOf({ ...answers, ...(posted?.value && { [order]: posted.value }) }, group);
  const isEmpty = (each: string): boolean =>
    [...Object.keys(answers), ...changes.flatMap(({ path, value }) => (value === null ? [] : [path]))].every(
      (path) => !path.startsWith(`${group}.${each}.`),
    );
  const empty = rows.find(isEmpty);
  const value = [...rows.map((each) => (each === empty ? id : each)), ...(empty === undefined ? [id] : [])];
  if (rows.includes(id) || value.length > max) return [...changes];
  return [
    ...changes.filter(({ path }) => path !== order),
    { path: order, value, known: posted?.known ?? rows },
    ...taken.filter(({ path }) => !Object.hasOwn(answers, path)),
  ];
}
