import type { Actor } from '#features/base/people/people.ts';
import { mayRepeat } from '#features/tasks/questionnaires/answer-values.ts';
import { displayValue } from '#features/tasks/questionnaires/display.server.ts';
import type {
  Answers,
  AnswerValue,
  Question,
  Section,
  Template,
} from '#features/tasks/questionnaires/questionnaires.ts';
import {
  isGroup,
  orderPath,
  questionAt,
  rowsOf,
  textIn,
  titleOfRows,
  visibleSections,
} from '#features/tasks/questionnaires/rules.ts';
import { whileSaving } from '#features/tasks/tasks/answering.server.ts';
import { taskRow, type TaskRow } from '#features/tasks/tasks/scope.server.ts';
import { lastYearOf } from '#features/tasks/task-submissions/submitted-last-year.server.ts';
import { formOfTask, questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';

/*
 * What a client answered last year: shown beside the questions, and taken over section by section when somebody says
 * that it is still right. Until then it answers nothing, so that nothing is submitted that nobody has checked.
 */

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
