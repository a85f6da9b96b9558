import type { Actor } from '#features/people/people.ts';
import { mayRepeat, readAnswer } from '#features/questionnaires/answer-values.ts';
import { displayValue } from '#features/questionnaires/display.server.ts';
import type {
  Answers,
  AnswerValue,
  Question,
  Section,
  Template,
} from '#features/questionnaires/questionnaires.ts';
import {
  isGroup,
  orderPath,
  questionAt,
  rowsOf,
  textIn,
  titleOfRows,
  visibleSections,
} from '#features/questionnaires/rules.ts';
import { db } from '#platform/database.server.ts';
import { notFound } from '#platform/errors.server.ts';
import type { Lang } from '#platform/languages.ts';
import { whileSaving } from './answering.server.ts';
import { documentsOfAnswers } from './files.server.ts';
import { frozenSubmission } from './internal/submission-content.server.ts';
import { answersIn } from './items.ts';
import { taskRow, type TaskRow } from './scope.server.ts';
import { formOfTask, questionAnswers } from './task-forms.server.ts';

/*
 * What a client answered last year: shown beside the questions, and taken over section by section when somebody says
 * that it is still right. Until then it answers nothing, so that nothing is submitted that nobody has checked.
 */

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

/** An answer of last year that somebody can take over. */
interface OfferedAnswer {
  path: string;
  value: AnswerValue;
  label: string;
  text: string;
}

/** What the template takes over; amounts are only of their year, unless somebody uses a single one. */
const mayTakeOver = (question: Question): boolean =>
  question.kind !== 'note' &&
  question.lastYear === 'prefill' &&
  question.kind !== 'money' &&
  mayRepeat(question);

/** What of last year's answers a section can take over: to questions that apply and have no answer yet. */
export function offeredAnswers(
  form: Template,
  sectionKey: string,
  { answers, last, lang }: { answers: Answers; last: Answers; lang: Lang },
): OfferedAnswer[] {
  const known = { ...withRows(form, sectionKey, answers, last), ...answers };
  const section = visibleSections(form, known).find((each) => each.section.key === sectionKey);
  return (section?.items ?? []).flatMap((item) =>
    (isGroup(item) ? item.rows.flatMap(({ questions }) => questions) : [item]).flatMap(
      ({ path, question, reading }): OfferedAnswer[] => {
        const value = last[path];
        if (reading.state !== 'empty' || value === undefined || !mayTakeOver(question)) return [];
        const label = textIn(question.label, lang, form);
        return [{ path, value, label, text: displayValue(question, value, { lang, template: form }) }];
      },
    ),
  );
}

/** Last year's rows of the groups of a section that have no row yet and something to take over. */
function withRows(form: Template, sectionKey: string, answers: Answers, last: Answers): Answers {
  const section = form.sections.find(({ key }) => key === sectionKey);
  return Object.fromEntries(
    groupsOf(section).flatMap(({ path, questions }) => {
      const rows = last[orderPath(path)];
      const isNew = rowsOf(answers, path).length === 0 && rows !== undefined;
      const hasAny = rowsOf(last, path).some((row) =>
        questions.some(
          (question) => mayTakeOver(question) && last[`${path}.${row}.${question.key}`] !== undefined,
        ),
      );
      return isNew && hasAny ? [[orderPath(path), rows] as const] : [];
    }),
  );
}

const groupsOf = (section: Section | undefined): { path: string; questions: Question[] }[] =>
  (section?.items ?? []).flatMap((item) =>
    item.kind === 'group' ? [{ path: `${section?.key}.${item.key}`, questions: item.items }] : [],
  );

/**
 * Takes over what a section offers of last year's answers, which somebody says is still right. What was answered
 * meanwhile stays. NOT_FOUND for another task or section, CLOSED, EXPIRED; LOCKED for an item that the firm accepted.
 */
export async function confirmLastYear(actor: Actor, taskId: string, sectionKey: string): Promise<void> {
  const row = await taskRow(actor, taskId);
  const form = await formOfTask(row);
  if (!form?.sections.some(({ key }) => key === sectionKey)) throw notFound();
  const last = await lastYearOf(row, form);
  if (!last) return;
  await whileSaving(actor, taskId, async (save) => {
    const { answers } = await questionAnswers(taskId);
    const rows = withRows(form, sectionKey, answers, last);
    for (const [path, value] of Object.entries(rows)) await save({ path, value });
    for (const { path, value } of offeredAnswers(form, sectionKey, { answers, last, lang: 'en-us' }))
      await save({ path, value: sameAs(value) });
  });
}

/**
 * Last year's answer to one question, as an answer of this year; undefined if there is none, or if it is always entered
 * anew.
 */
export async function answerOfLastYear(
  row: TaskRow,
  form: Template,
  path: string,
): Promise<AnswerValue | undefined> {
  const question = questionAt(form, path);
  if (!question || !mayRepeat(question)) return undefined;
  const last = await lastYearOf(row, form);
  const value = last && Object.hasOwn(last, path) ? last[path] : undefined;
  return value === undefined ? undefined : sameAs(value);
}

/** A row of last year, with what is needed to add it to its group. */
export interface LastYearRow {
  /** The path of the group. */
  group: string;
  id: string;
  max: number;
  answers: { path: string; value: AnswerValue }[];
}

/**
 * The row of last year at a path, with the answers that the template takes over and the one that names the row;
 * undefined if there is none.
 */
export async function rowOfLastYear(
  row: TaskRow,
  form: Template,
  path: string,
): Promise<LastYearRow | undefined> {
  const [section = '', key = '', id = '', ...others] = path.split('.');
  const group = form.sections
    .find((each) => each.key === section)
    ?.items.find((item) => item.kind === 'group' && item.key === key);
  if (group?.kind !== 'group' || others.length > 0) return undefined;
  const last = (await lastYearOf(row, form)) ?? {};
  if (!rowsOf(last, `${section}.${key}`).includes(id)) return undefined;
  const title = titleOfRows(group);
  const taken = group.items.filter(
    (question) => mayTakeOver(question) || (question === title && mayRepeat(question)),
  );
  return {
    group: `${section}.${key}`,
    id,
    max: group.max,
    answers: taken.flatMap((question) => {
      const value = last[`${path}.${question.key}`];
      return value === undefined ? [] : [{ path: `${path}.${question.key}`, value: sameAs(value) }];
    }),
  };
}

/** The same as last year: the value is copied, so that a later correction of last year changes nothing. */
const sameAs = (value: AnswerValue): AnswerValue =>
  typeof value === 'object' && ('none' in value || 'unsure' in value || 'notYet' in value || 'same' in value)
    ? value
    : { same: true, of: value };

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
