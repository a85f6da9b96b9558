import type { Actor } from '#features/base/people/people.ts';
import { isMasked, readAnswer } from '#features/tasks/questionnaires/answer-values.ts';
import { displayValue } from '#features/tasks/questionnaires/display.server.ts';
import type { Answers, Question, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import {
  isGroup,
  textIn,
  visibleSections,
  type VisibleGroup,
  type VisibleQuestion,
} from '#features/tasks/questionnaires/rules.ts';
import { documentsAsked } from '#features/tasks/tasks/asked-documents.ts';
import { documentsOfAnswers } from '#features/tasks/tasks/documents-of-answers.server.ts';
import { answersIn, itemOf } from '#features/tasks/tasks/items.ts';
import type { TaskFinding } from '#features/tasks/tasks/findings.server.ts';
import { isComment } from '#features/tasks/tasks/task-forms.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { frozenSubmission } from './internal/submission-content.server.ts';

/** A question with its answer as text, or with its documents. */
export interface ShownAnswer {
  path: string;
  /** What the firm accepts or returns as a whole: the question, or the row of a group that it is in. */
  item: string;
  label: string;
  text: string;
  /** Whether `text` is only the masked form of a sensitive answer. */
  isMasked: boolean;
  documents: { id: string; name: string; size: number }[];
  /** A row of a group: what the row is called. */
  row: string;
  isRequired: boolean;
}

export interface ShownSection {
  key: string;
  title: string;
  answers: ShownAnswer[];
}

/** What the newest submission of a task contains that was not taken back; undefined before the first. */
export async function submittedAnswers(
  taskId: string,
): Promise<{ answers: Answers; comments: string[]; findings: TaskFinding[] } | undefined> {
  const submission = await frozenSubmission(taskId);
  return (
    submission && {
      answers: answersIn(submission.answers),
      comments: submission.comments.flatMap(({ path, value }) => (isComment(path) ? [value] : [])),
      findings: submission.findings,
    }
  );
}

/** The questions that apply with their answers, by section; sensitive answers are masked. */
export async function shownAnswers(
  actor: Actor,
  lang: Lang,
  form: Template,
  answers: Answers,
): Promise<ShownSection[]> {
  const sections = visibleSections(form, answers);
  const files = Object.values(answers).flatMap((value) => (Array.isArray(value) ? value : []));
  const documents = await documentsOfAnswers(actor, [
    ...files.filter((id) => id.startsWith('doc_')),
    ...documentsAsked(form).values(),
  ]);
  const shown = ({ path, question }: VisibleQuestion, row = ''): ShownAnswer[] => {
    if (question.kind === 'note') return [];
    const value = Object.hasOwn(answers, path) ? answers[path] : undefined;
    const ids = isFiles(question) && Array.isArray(value) ? value : [];
    return [
      {
        path,
        item: itemOf(path),
        label: textIn(question.label, lang, form),
        text:
          value === undefined || ids.length > 0
            ? ''
            : displayValue(question, value, { lang, template: form }),
        isMasked: isMasked(question) && readAnswer(question, value).state === 'value',
        documents: (question.document === undefined ? ids : [question.document]).flatMap(
          (id) => documents.get(id) ?? [],
        ),
        row,
        isRequired: question.required,
      },
    ];
  };
  const emptyGroup = ({ path, group }: VisibleGroup): ShownAnswer => ({
    path,
    item: path,
    label: textIn(group.label, lang, form),
    text: '',
    isMasked: false,
    documents: [],
    row: '',
    isRequired: group.min > 0,
  });
  return sections.map(({ section, items }) => ({
    key: section.key,
    title: textIn(section.label, lang, form),
    answers: items.flatMap((item) =>
      isGroup(item)
        ? item.rows.length === 0
          ? [emptyGroup(item)]
          : item.rows.flatMap(({ questions }, at) =>
              questions.flatMap((each) => shown(each, `${textIn(item.group.one, lang, form)} ${at + 1}`)),
            )
        : shown(item),
    ),
  }));
}

/** What was answered, without the questions and sections that have no answer. */
export const withAnswers = (sections: readonly ShownSection[]): ShownSection[] =>
  sections
    .map((section) => ({
      ...section,
      answers: section.answers.filter(({ text, documents }) => text !== '' || documents.length > 0),
    }))
    .filter(({ answers }) => answers.length > 0);

const isFiles = ({ kind }: Question): boolean => kind === 'files';
