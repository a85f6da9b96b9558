import type { Lang } from '#platform/text/languages.ts';
import {
  currencyDigits,
  isSensitive,
  readAnswer,
  type Finding,
  type ProblemCode,
  type Reading,
} from './answer-values.ts';
import type {
  Answers,
  AnswerValue,
  Group,
  PlainValue,
  Question,
  Section,
  Template,
  Test,
  Text,
  When,
} from './questionnaires.ts';

/*
 * What a questionnaire shows, asks and submits, given its answers: pure functions for the page, the island and the
 * submission. One pass over the template is enough, because a condition refers only to earlier questions.
 */

export interface VisibleQuestion {
  path: string;
  question: Question;
  reading: Reading;
}

export interface VisibleGroup {
  path: string;
  group: Group;
  rows: { id: string; questions: VisibleQuestion[] }[];
}

export type VisibleItem = VisibleQuestion | VisibleGroup;

export interface VisibleSection {
  section: Section;
  items: VisibleItem[];
}

export const isGroup = (item: VisibleItem): item is VisibleGroup => 'group' in item;

/** What is wrong with an answer; a warning does not prevent the submission. */
export interface Problem extends Omit<Finding, 'part'> {
  path: string;
}

/** Readings of the questions that are shown, by `section.question`, or by the key alone in a row. */
type Readings = Map<string, Reading>;

interface Scope {
  taxYear: number | undefined;
  section: string;
  readings: Readings;
  row?: Readings;
}

/** The sections, questions and rows that apply, in the order of the template. */
export function visibleSections(template: Template, answers: Answers): VisibleSection[] {
  const readings: Readings = new Map();
  return template.sections.flatMap((section): VisibleSection[] => {
    const scope: Scope = { taxYear: template.taxYear, section: section.key, readings };
    if (!isShown(section.when, scope)) return [];
    return [{ section, items: section.items.flatMap((item) => visibleItem(item, scope, answers)) }];
  });
}

function visibleItem(item: Section['items'][number], scope: Scope, answers: Answers): VisibleItem[] {
  if (!isShown(item.when, scope)) return [];
  const path = `${scope.section}.${item.key}`;
  if (item.kind !== 'group') {
    const reading = readAnswer(item, own(answers, path));
    scope.readings.set(path, reading);
    return [{ path, question: item, reading }];
  }
  const rows = rowsOf(answers, path).map((id) => {
    const row: Readings = new Map();
    const questions = item.items.flatMap((question): VisibleQuestion[] => {
      if (!isShown(question.when, { ...scope, row })) {
        // so that a question of the section with the same key does not answer for it
        row.set(question.key, { state: 'empty' });
        return [];
      }
      const at = `${path}.${id}.${question.key}`;
      const reading = readAnswer(question, own(answers, at));
      row.set(question.key, reading);
      return [{ path: at, question, reading }];
    });
    return { id, questions };
  });
  return [{ path, group: item, rows }];
}

const own = (answers: Answers, path: string): AnswerValue | undefined =>
  Object.hasOwn(answers, path) ? answers[path] : undefined;

/** The path of the list of a group's rows. */
export const orderPath = (groupPath: string): string => `${groupPath}#order`;

/** Rows beyond the limit of a group are a problem, and are shown to be removed; beyond this number they are ignored. */
const MAX_ROWS = 200;

export const isRowId = (id: unknown): id is string => typeof id === 'string' && /^[\w-]{12}$/.test(id);

/** The rows of a group, in order. */
export function rowsOf(answers: Answers, groupPath: string): string[] {
  const order: unknown = own(answers, orderPath(groupPath));
  if (!Array.isArray(order)) return [];
  return [...new Set(order.slice(0, MAX_ROWS).filter(isRowId))];
}

/** The question whose answer names a row: the one that the template says, else its first for a text. */
export const titleOfRows = ({ items, title }: Group): Question | undefined =>
  items.find(({ key }) => key === title) ??
  items.find((question) => question.kind === 'text' && !isSensitive(question));

/** Whether something with this condition is shown. A test on a question that is not shown does not hold. */
function isShown(when: When | undefined, scope: Scope): boolean {
  if (!when) return true;
  return 'all' in when
    ? when.all.every((test) => holds(test, scope))
    : when.any.some((test) => holds(test, scope));
}

function holds(test: Test, scope: Scope): boolean {
  const reading = readingOf(test.of, scope);
  const state = reading?.state ?? 'empty';
  const isAnswered = state !== 'empty' && state !== 'wrong';
  if (test.op === 'notAnswered') return !isAnswered;
  if (test.op === 'answered' || !isAnswered) return isAnswered;
  const value = reading?.state === 'value' ? reading.value : undefined;
  switch (test.op) {
    case 'is':
      return isEqual(value, test.value);
    case 'isNot':
      return !isEqual(value, test.value);
    case 'includes':
      return Array.isArray(value) && value.some((each) => each === test.value);
    case 'atLeast':
      return isInOrder(test.value, value);
    case 'atMost':
      return isInOrder(value, test.value);
  }
}

function readingOf(of: string, { taxYear, section, readings, row }: Scope): Reading | undefined {
  if (of === 'taxYear')
    return taxYear === undefined ? undefined : { state: 'value', value: taxYear, isSame: false };
  return row?.get(of) ?? readings.get(of.includes('.') ? of : `${section}.${of}`);
}

/** A value that can be compared: an amount in whole units, a time in minutes, an entry of a list by its key. */
function comparable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('key' in value) return value.key;
  if ('minutes' in value) return value.minutes;
  if (!('minor' in value)) return value;
  const { minor, currency } = value as { minor: number; currency: string };
  return minor / 10 ** currencyDigits(currency);
}

const isEqual = (value: PlainValue | undefined, other: unknown): boolean => comparable(value) === other;

/** Numbers and dates; anything else has no order. */
function isInOrder(low: unknown, high: unknown): boolean {
  const [first, second] = [comparable(low), comparable(high)];
  if (typeof first === 'number' && typeof second === 'number') return first <= second;
  return typeof first === 'string' && typeof second === 'string' && first <= second;
}

/**
 * What is wrong with the answers that are shown. While typing that is only what was typed wrong; a submission also
 * requires what is missing.
 */
export const problemsOf = (template: Template, answers: Answers, at: 'typing' | 'submit'): Problem[] =>
  visibleSections(template, answers).flatMap((section) => sectionProblems(section, at));

/** What is wrong with the answers of one section. */
export const sectionProblems = ({ items }: VisibleSection, at: 'typing' | 'submit'): Problem[] =>
  items.flatMap((item) =>
    isGroup(item)
      ? [
          ...rowProblems(item, at),
          ...item.rows.flatMap(({ questions }) => questions.flatMap((each) => questionProblems(each, at))),
        ]
      : questionProblems(item, at),
  );

function rowProblems({ path, group: { min, max }, rows }: VisibleGroup, at: 'typing' | 'submit'): Problem[] {
  if (rows.length > max) return [{ path, code: 'rowsTooMany', vars: { max } }];
  return at === 'submit' && rows.length < min ? [{ path, code: 'rowsTooFew', vars: { min } }] : [];
}

function questionProblems({ path, question, reading }: VisibleQuestion, at: 'typing' | 'submit'): Problem[] {
  if (question.kind === 'note') return [];
  if (reading.state === 'wrong') return [problemAt(path, reading.finding)];
  if (reading.state === 'value' && reading.warning) return [problemAt(path, reading.warning)];
  if (at === 'typing') return [];
  if (reading.state === 'empty') return question.required ? [{ path, code: missingCode(question) }] : [];
  const isDeclined = question.kind === 'yesNo' && question.mustBeYes;
  return isDeclined && !(reading.state === 'value' && reading.value === true)
    ? [{ path, code: 'mustBeYes' }]
    : [];
}

const problemAt = (path: string, { part, ...finding }: Finding): Problem => ({
  path: part === undefined ? path : `${path}.${part}`,
  ...finding,
});

function missingCode({ kind }: Question): ProblemCode {
  if (kind === 'files') return 'requiredFiles';
  return kind === 'yesNo' || kind === 'choice' || kind === 'choices' ? 'requiredChoice' : 'required';
}

export interface FrozenAnswer {
  path: string;
  /** The path of the question in the template, without the row. */
  labelPath: string;
  kind: Question['kind'];
  tag?: string;
  /** Of chosen answers that other programs know: how they know them. */
  codes?: { key: string; code?: string; tag?: string }[];
  value: PlainValue | { none: true } | { unsure: true } | { notYet: true; by?: string };
  source?: 'last-year';
}

/** What is submitted: the answers that are shown and given, in the order of the template. */
export const freeze = (template: Template, answers: Answers): FrozenAnswer[] =>
  visibleSections(template, answers).flatMap(({ items }) =>
    items.flatMap((item) =>
      isGroup(item)
        ? item.rows.flatMap(({ questions }) =>
            questions.flatMap((each) => frozen(each, `${item.path}.${each.question.key}`)),
          )
        : frozen(item, item.path),
    ),
  );

function frozen({ path, question, reading }: VisibleQuestion, labelPath: string): FrozenAnswer[] {
  const value = submittedValue(reading);
  if (value === undefined || question.kind === 'note') return [];
  const { kind, tag } = question;
  const isSame = reading.state === 'value' && reading.isSame;
  return [
    {
      path,
      labelPath,
      kind,
      ...(tag !== undefined && { tag }),
      ...codesOf(question, value),
      value,
      ...(isSame && { source: 'last-year' }),
    },
  ];
}

/** What other programs know chosen answers by. */
function codesOf(question: Question, value: FrozenAnswer['value']): Pick<FrozenAnswer, 'codes'> {
  if (question.kind !== 'choice' && question.kind !== 'choices') return {};
  const chosen: unknown[] = Array.isArray(value) ? value : [value];
  const codes = question.choices
    .filter(({ key, code, tag }) => chosen.includes(key) && (code !== undefined || tag !== undefined))
    .map(({ key, code, tag }) => ({
      key,
      ...(code !== undefined && { code }),
      ...(tag !== undefined && { tag }),
    }));
  return codes.length === 0 ? {} : { codes };
}

function submittedValue(reading: Reading): FrozenAnswer['value'] | undefined {
  switch (reading.state) {
    case 'value':
      return reading.value;
    case 'none':
      return { none: true };
    case 'unsure':
      return { unsure: true };
    case 'notYet':
      return { notYet: true, ...(reading.by !== undefined && { by: reading.by }) };
    default:
      return undefined;
  }
}

export interface SectionProgress {
  key: string;
  /** The questions that apply, and how many of them have a valid answer. */
  total: number;
  settled: number;
  /** Nothing that is required is missing, and nothing is wrong or still to be checked. */
  isSettled: boolean;
  /** Nothing is answered, and nothing has to be. */
  isOptional: boolean;
}

/** The progress of each section that applies; `unchecked` are the paths of answers from last year to be checked. */
export const progressOf = (
  template: Template,
  answers: Answers,
  unchecked: ReadonlySet<string> = new Set(),
): SectionProgress[] =>
  visibleSections(template, answers).map((section) => {
    const asked = questionsIn(section).filter(({ question }) => question.kind !== 'note');
    const isOpen =
      sectionProblems(section, 'submit').some(({ isWarning }) => !isWarning) ||
      asked.some(({ path }) => unchecked.has(path));
    const settled = asked.filter(({ reading }) => submittedValue(reading) !== undefined).length;
    return {
      key: section.section.key,
      total: asked.length,
      settled,
      isSettled: !isOpen,
      isOptional: !isOpen && settled === 0,
    };
  });

/** The questions that apply in a section, with those of rows. */
const questionsIn = ({ items }: VisibleSection): VisibleQuestion[] =>
  items.flatMap((item) => (isGroup(item) ? item.rows.flatMap(({ questions }) => questions) : [item]));

/** The question that a path names, in whichever row; undefined if the template has none. */
export function questionAt(
  template: Template,
  path: string,
): Exclude<Question, { kind: 'note' }> | undefined {
  const [, , row, rowKey, ...rest] = path.split('.');
  const item = itemAt(template, path);
  if (!item || rest.length > 0) return undefined;
  if (item.kind !== 'group') return row === undefined && item.kind !== 'note' ? item : undefined;
  const found = isRowId(row) ? item.items.find(({ key }) => key === rowKey) : undefined;
  return found?.kind === 'note' ? undefined : found;
}

/** The label of the question or the group that a path belongs to; undefined if the template has none. */
export function labelAt(template: Template, path: string): Text | undefined {
  return (questionAt(template, path) ?? itemAt(template, path.replace(/#.*/, '')))?.label;
}

/** The question, the group or the note at the beginning of a path. */
function itemAt(template: Template, path: string): Section['items'][number] | undefined {
  const [sectionKey, itemKey] = path.split('.');
  return template.sections.find(({ key }) => key === sectionKey)?.items.find(({ key }) => key === itemKey);
}

/** What the texts of a template depend on. */
export type TextContext = Pick<Template, 'languages' | 'country' | 'taxYear'>;

/** The language in which a text is shown: that of the reader, or the first one of the template. */
export const languageOfText = (text: Text, lang: Lang, template: TextContext): Lang | undefined =>
  [lang, ...template.languages].find((each) => text[each] !== undefined);

/** A text in the reader's language, with the year of the task. */
export function textIn(text: Text, lang: Lang, template: TextContext): string {
  const shown = languageOfText(text, lang, template);
  return (shown === undefined ? '' : (text[shown] ?? '')).replaceAll('{taxYear}', taxYearText(template));
}

/** A tax year as its country writes it: 2026, or 2025/26 in the United Kingdom. */
function taxYearText({ taxYear, country }: TextContext): string {
  if (taxYear === undefined) return '';
  return country === 'GB' ? `${taxYear - 1}/${String(taxYear % 100).padStart(2, '0')}` : String(taxYear);
}

/** The template as a task of another year asks it. */
export const forTaxYear = (template: Template, taxYear: number | undefined): Template =>
  taxYear === undefined ? template : { ...template, taxYear };
