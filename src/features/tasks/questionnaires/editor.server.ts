import type { FieldView } from '#platform/forms/forms.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { displayValue } from './display.server.ts';
import { isSensitive, mayRepeat, readAnswer } from './answer-values.ts';
import { BLANK_ROW, type ControlValues, type EditorItem, type EditorSection } from './editor.ts';
import { contextOf, questionViews, withRequiredRows, type FieldOptions } from './fields.server.ts';
import type { Answers, AnswerValue, Question, Section, Template, When } from './questionnaires.ts';
import {
  isGroup,
  orderPath,
  questionAt,
  rowsOf,
  textIn,
  titleOfRows,
  visibleSections,
  type VisibleGroup,
} from './rules.ts';

/*
 * A section as its editor in the browser needs it: the fields of every question, because one may apply as soon as
 * another one is answered, and the rules that decide it, without texts.
 */

/** The section for its editor; undefined if it does not apply. */
export function editorSection(
  template: Template,
  sectionKey: string,
  options: FieldOptions,
): EditorSection | undefined {
  const section = template.sections.find(({ key }) => key === sectionKey);
  const answers = withRequiredRows(template, sectionKey, options.answers, options.newRowId);
  const isShown = visibleSections(template, answers).some(({ section: { key } }) => key === sectionKey);
  if (!section || !isShown) return undefined;
  const referred = referredQuestions(template, section, answers);
  return {
    key: sectionKey,
    template: {
      ...template,
      label: {},
      sections: [
        ...referred.map(([path, question]) => ({
          key: path.split('.')[0] ?? '',
          label: {},
          items: [rulesOf(question, { isUnconditional: true })],
        })),
        { key: sectionKey, label: {}, items: section.items.map((item) => rulesOf(item)) },
      ],
    },
    items: itemsOf(template, section, { ...options, answers }),
    lastYear: repeatableAnswers(template, section, { ...options, answers }),
    answers: openAnswers(template, answers, [`${sectionKey}.`, ...referred.map(([path]) => path)]),
  };
}

/** The questions of other sections that apply and that conditions of this one refer to. */
function referredQuestions(template: Template, section: Section, answers: Answers): [string, Question][] {
  const shown = visibleSections(template, answers).flatMap(({ items }) =>
    items.flatMap((item) => (isGroup(item) ? [] : [item])),
  );
  const paths = new Set(
    section.items
      .flatMap((item) => [item, ...(item.kind === 'group' ? item.items : [])])
      .flatMap(({ when }) => (when ? testsOf(when) : []))
      .map(({ of }) => of)
      .filter((of) => of.includes('.') && !of.startsWith(`${section.key}.`)),
  );
  return shown.flatMap(({ path, question }): [string, Question][] =>
    paths.has(path) ? [[path, question]] : [],
  );
}

const testsOf = (when: When) => ('all' in when ? when.all : when.any);

type Item = Section['items'][number];

/** What is shown only to people. */
const TEXTS = ['hint', 'why', 'tag', 'lead', 'unit', 'one', 'addLabel'];

/** An item without its texts; without its condition if it is known to apply. */
function rulesOf<Some extends Item>(item: Some, { isUnconditional = false } = {}): Some {
  const left = Object.entries(item).filter(
    ([name]) => !TEXTS.includes(name) && !(isUnconditional && name === 'when'),
  );
  return {
    ...(Object.fromEntries(left) as Some),
    label: {},
    ...(item.kind === 'group' && { one: {}, addLabel: {}, items: item.items.map((each) => rulesOf(each)) }),
    ...('choices' in item && {
      choices: item.choices.map(({ key, exclusive }) => ({ key, exclusive, label: {} })),
    }),
  };
}

/** A whole template as the rules of its questions, for what checks answers in the browser. */
export const rulesOfTemplate = (template: Template): Template => ({
  ...template,
  label: {},
  sections: template.sections.map(({ key, when, items }) => ({
    key,
    when,
    label: {},
    items: items.map((item) => rulesOf(item)),
  })),
});

function itemsOf(template: Template, section: Section, options: FieldOptions): EditorItem[] {
  const { lang, answers } = options;
  const t = translationsFor(lang, 'questionnaires');
  const groups = section.items.filter(({ kind }) => kind === 'group');
  const withBlanks = {
    ...answers,
    ...Object.fromEntries(
      groups.map(({ key }) => {
        const path = `${section.key}.${key}`;
        return [orderPath(path), [...rowsOf(answers, path), BLANK_ROW]];
      }),
    ),
  };
  const open = {
    ...template,
    sections: template.sections.map((each) => (each === section ? unconditional(section) : each)),
  };
  const context = contextOf(open, { ...options, answers: withBlanks });
  const all = visibleSections(open, withBlanks).find(({ section: { key } }) => key === section.key);
  return (all?.items ?? []).map((item): EditorItem => {
    if (!isGroup(item)) return { kind: 'question', path: item.path, fields: questionViews(item, context) };
    const rows = Object.fromEntries(
      item.rows.map(({ id, questions }) => [
        id,
        Object.fromEntries(
          questions.map((each): [string, FieldView[]] => [each.question.key, questionViews(each, context)]),
        ),
      ]),
    );
    const { [BLANK_ROW]: blank = {}, ...known } = rows;
    const { group } = item;
    return {
      kind: 'group',
      path: item.path,
      label: textIn(group.label, lang, template),
      ...(group.hint && { hint: textIn(group.hint, lang, template) }),
      row: t('row', { one: textIn(group.one, lang, template), number: '{{number}}' }),
      add: textIn(group.addLabel, lang, template),
      remove: t('remove'),
      min: group.min,
      max: group.max,
      rows: known,
      blank,
      ...lastRowsOf(item, template, options),
    };
  });
}

/** The buttons for the rows of last year; the editor shows those of rows that are not in the group. */
function lastRowsOf(
  { path, group }: VisibleGroup,
  template: Template,
  { lang, lastYear = {} }: FieldOptions,
): Pick<Extract<EditorItem, { kind: 'group' }>, 'lastRows'> {
  const t = translationsFor(lang, 'questionnaires');
  const question = titleOfRows(group);
  const rows = rowsOf(lastYear, path).map((id, at): [string, string] => {
    const value = question && lastYear[`${path}.${id}.${question.key}`];
    const title = question && value !== undefined ? displayValue(question, value, { lang, template }) : '';
    const name = title || t('row', { one: textIn(group.one, lang, template), number: at + 1 });
    return [id, t('addLastYear', { name })];
  });
  return rows.length === 0 ? {} : { lastRows: Object.fromEntries(rows) };
}

/** What the controls contain with last year's answers, for the questions that may use them. */
function repeatableAnswers(
  template: Template,
  section: Section,
  options: FieldOptions,
): EditorSection['lastYear'] {
  const { lastYear = {}, answers } = options;
  const paths = Object.keys(lastYear).filter((path) => path.startsWith(`${section.key}.`));
  const context = contextOf(template, { ...options, answers: lastYear });
  return Object.fromEntries(
    paths.flatMap((path): [string, ControlValues][] => {
      const question = questionAt(template, path);
      if (!question || !mayRepeat(question) || !isRowShown(answers, path)) return [];
      const reading = readAnswer(question, lastYear[path]);
      return [[path, questionViews({ path, question, reading }, context).flatMap(contentsOf)]];
    }),
  );
}

/** Whether the path is of a question outside of groups, or in an existing row. */
function isRowShown(answers: Answers, path: string): boolean {
  const [section, group, row, key] = path.split('.');
  return key === undefined || rowsOf(answers, `${section}.${group}`).includes(row ?? '');
}

/** What the controls of a field contain. */
function contentsOf(field: FieldView): [string, string[]][] {
  switch (field.kind) {
    case 'hidden':
    case 'note':
    case 'slot':
      return [];
    case 'checkbox':
      return [[field.name, field.value ? ['on'] : []]];
    case 'checkboxes':
      return [[field.name, [...field.value]]];
    case 'date-selects':
      return field.selects.map(({ part, value }) => [`${field.name}.${part}`, [value]]);
    case 'address':
      return field.parts.flatMap(contentsOf);
    default:
      return [[field.name, field.value === '' ? [] : [field.value]]];
  }
}

/** The section with all that it can ask. */
const unconditional = ({ when: _always, ...section }: Section): Section => ({
  ...section,
  items: section.items.map(({ when: _shown, ...item }): Item =>
    item.kind === 'group'
      ? { ...item, items: item.items.map(({ when: _too, ...each }): Question => each) }
      : item,
  ),
});

/** The answers at these paths that the page may have in plain text. */
const openAnswers = (template: Template, answers: Answers, paths: readonly string[]): Answers =>
  Object.fromEntries(
    Object.entries(answers).filter(([path]): boolean => {
      if (!paths.some((each) => (each.endsWith('.') ? path.startsWith(each) : path === each))) return false;
      const question = questionAt(template, path);
      return path.endsWith('#order') || (question !== undefined && !isSensitive(question));
    }) as [string, AnswerValue][],
  );
