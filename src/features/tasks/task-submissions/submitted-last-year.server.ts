import type { Actor } from '#features/base/people/people.ts';
import { readAnswer } from '#features/tasks/questionnaires/answer-values.ts';
import type {
  Answers,
  AnswerValue,
  Question,
  Template,
} from '#features/tasks/questionnaires/questionnaires.ts';
import { orderPath, questionAt, rowsOf } from '#features/tasks/questionnaires/rules.ts';
import { documentsOfAnswers } from '#features/tasks/tasks/documents-of-answers.server.ts';
import { answersIn } from '#features/tasks/tasks/items.ts';
import type { TaskRow } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask } from '#features/tasks/tasks/task-forms.server.ts';
import { db } from '#platform/database/database.server.ts';
import { frozenSubmission } from './internal/submission-content.server.ts';

/** Keys that every list of a firm's own questions has, whatever it asks. */
const WITHOUT_TEMPLATE = ['request', 'document-review'];
/** Tasks of a year that are looked at. */
const MAX_CANDIDATES = 20;

/**
 * The answers of the newest accepted submission of the same template for the year before, with the keys that the
 * questions have now; undefined if there is none.
 */
export async function lastYearOf(row: TaskRow, form: Template): Promise<Answers | undefined> {
  if (row.tax_year === null) return undefined;
  const candidates = await db()
    .selectFrom('tasks')
    .select(['task_id', 'form_id', 'tax_year', 'template_id'])
    .where('client_id', '=', row.client_id)
    .where('company_id', '=', row.company_id)
    .where('type', '=', row.type)
    .where('tax_year', '=', row.tax_year - 1)
    .where('status', '=', 'Done')
    .where('deleted_at', 'is', null)
    .where('form_id', 'is not', null)
    .orderBy('submitted_at', 'desc')
    .limit(MAX_CANDIDATES)
    .execute();
  for (const candidate of candidates) {
    const other = await formOfTask(candidate);
    const isSame =
      candidate.template_id !== null && candidate.template_id === row.template_id
        ? true
        : other?.key === form.key && !WITHOUT_TEMPLATE.includes(form.key);
    if (!other || !isSame) continue;
    const submission = await frozenSubmission(candidate.task_id);
    if (submission?.decision === 'accepted') return thatFit(form, other, answersIn(submission.answers));
  }
  return undefined;
}

/** The answers that the questions of this year can still have. */
function thatFit(form: Template, other: Template, answers: Answers): Answers {
  const found: Record<string, AnswerValue> = {};
  const take = (path: string, question: Question, from: readonly string[]): void => {
    if (question.kind === 'note' || question.lastYear === 'off') return;
    const before = from.find((each) => Object.hasOwn(answers, each));
    const value = before === undefined ? undefined : answers[before];
    if (value === undefined || before === undefined) return;
    const isSameKind = questionAt(other, before)?.kind === question.kind;
    if (isSameKind && readAnswer(question, value).state === 'value') found[path] = value;
  };
  const keysOf = (question: Question): string[] => [
    question.key,
    ...('was' in question ? (question.was ?? []) : []),
  ];
  for (const section of form.sections)
    for (const item of section.items) {
      const path = `${section.key}.${item.key}`;
      if (item.kind !== 'group') {
        take(
          path,
          item,
          keysOf(item).map((key) => `${section.key}.${key}`),
        );
        continue;
      }
      if (item.lastYear === 'off') continue;
      const rows = rowsOf(answers, path).slice(0, item.max);
      if (rows.length > 0) found[orderPath(path)] = rows;
      for (const row of rows)
        for (const question of item.items)
          take(
            `${path}.${row}.${question.key}`,
            question,
            keysOf(question).map((key) => `${path}.${row}.${key}`),
          );
    }
  return found;
}

/** The documents that were sent last year, by the paths of their questions. */
export async function documentsOfLastYear(
  actor: Actor,
  form: Template,
  last: Answers,
): Promise<Map<string, { id: string; name: string }[]>> {
  const files = Object.entries(last).flatMap(([path, value]) =>
    questionAt(form, path)?.kind === 'files' && Array.isArray(value) ? [[path, value] as const] : [],
  );
  const documents = await documentsOfAnswers(
    actor,
    files.flatMap(([, ids]) => ids),
  );
  return new Map(files.map(([path, ids]) => [path, ids.flatMap((id) => documents.get(id) ?? [])]));
}
