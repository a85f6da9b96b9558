import { randomBytes } from 'node:crypto';
import { postedAddress } from '#platform/inputs/address-fields.server.ts';
import { dateOfParts } from '#platform/inputs/dates.ts';
import type { Lang } from '#platform/languages.ts';
import { isSameAnswer, readAnswer } from './answer-values.ts';
import { nonePath } from './fields.server.ts';
import {
  MAX_ANSWER_LENGTH,
  type Answers,
  type AnswerValue,
  type Group,
  type Question,
  type Template,
} from './questionnaires.ts';
import { isRowId, orderPath, rowsOf, type Problem } from './rules.ts';
import { addressOf, readMasked, typedValue } from './values.server.ts';

/*
 * Reads a posted section. What was typed wrong is an answer, too, so that the page shows it again beside its problem;
 * a question that the form did not contain is left as it is.
 */

/** A new value of an answer; null empties it. */
export interface AnswerChange {
  path: string;
  value: AnswerValue | null;
  /** Of a list of rows: the rows that the person saw, so that two people who add one keep both. */
  known?: readonly string[];
}

interface Post {
  section: string;
  form: FormData;
  /** The stored answers. */
  answers: Answers;
  lang: Lang;
}

type Asked = Exclude<Question, { kind: 'note' | 'files' }>;

/** The id of a new row, which no other tab can choose too. */
export const newRowId = (): string => randomBytes(9).toString('base64url');

/** What a posted section changes, and what is wrong with it; what is missing is not, until the submission. */
export function postedAnswers(
  template: Template,
  { section: sectionKey, form, answers, lang }: Post,
): { changes: AnswerChange[]; problems: Problem[] } {
  const section = template.sections.find(({ key }) => key === sectionKey);
  const found: { changes: AnswerChange[]; problems: Problem[] } = { changes: [], problems: [] };
  const read = (path: string, question: Question): void => {
    if (question.kind === 'note' || question.kind === 'files') {
      readNone(path, question);
      return;
    }
    const { value, problem } = postedAnswer(path, question, { form, answers, template, lang });
    if (problem) found.problems.push(problem);
    if (value !== undefined) change(path, value);
    readNone(path, question, value);
    const reading = readAnswer(question, value);
    if (reading.state !== 'wrong' || problem) return;
    const { part, ...finding } = reading.finding;
    found.problems.push({ path: part === undefined ? path : `${path}.${part}`, ...finding });
  };
  const change = (path: string, value: AnswerValue | null): void => {
    const stored = Object.hasOwn(answers, path) ? answers[path] : undefined;
    const plain = typeof stored === 'object' && 'same' in stored ? stored.of : stored;
    if (isSameAnswer(plain ?? null, value)) return;
    found.changes.push({ path, value });
  };
  const readNone = (path: string, question: Question, value?: AnswerValue | null): void => {
    if (!('none' in question) || !question.none || !form.has(nonePath(path))) return;
    const isStored = (value ?? null) !== null;
    if (isStored) found.problems.push({ path, code: 'noneWithValue' });
    else {
      found.changes = found.changes.filter((each) => each.path !== path);
      const stored = Object.hasOwn(answers, path) ? answers[path] : undefined;
      if (!isSameAnswer(stored, { none: true })) found.changes.push({ path, value: { none: true } });
    }
  };
  for (const item of section?.items ?? []) {
    const path = `${sectionKey}.${item.key}`;
    if (item.kind !== 'group') read(path, item);
    else if (form.has(orderPath(path))) {
      const rows = postedRows(path, item, form);
      for (const row of rows.posted)
        for (const question of item.items) read(`${path}.${row}.${question.key}`, question);
      if (!isSameAnswer(rowsOf(answers, path), rows.kept))
        found.changes.push({ path: orderPath(path), value: rows.kept, known: rows.posted });
    }
  }
  return found;
}

/** The rows of a group, and those that remain after its button that adds or removes one. */
function postedRows(path: string, { min, max }: Group, form: FormData): { posted: string[]; kept: string[] } {
  const posted = [...new Set(form.getAll(orderPath(path)).filter(isRowId))].slice(0, MAX_POSTED_ROWS);
  const [, action = ''] = String(form.getAll('form').at(-1) ?? '').split(':');
  if (action === `add-${path}` && posted.length < max) return { posted, kept: [...posted, newRowId()] };
  const removed = action.startsWith(`remove-${path}-`) ? Number(action.slice(`remove-${path}-`.length)) : -1;
  return posted.length > min
    ? { posted, kept: posted.filter((_, at) => at !== removed) }
    : { posted, kept: posted };
}

const MAX_POSTED_ROWS = 200;

interface Reader extends Pick<Post, 'form' | 'answers' | 'lang'> {
  template: Template;
}

/** The posted answer of a question: undefined if the form did not contain it or it is unchanged. */
function postedAnswer(
  path: string,
  question: Asked,
  { form, answers, template, lang }: Reader,
): { value?: AnswerValue | null; problem?: Problem } {
  const text = (name: string): string => {
    const value = form.get(name);
    return typeof value === 'string' ? value : '';
  };
  if (question.kind === 'choices') {
    const posted = form.getAll(path).filter((each) => typeof each === 'string');
    if (posted.length === 0) return {};
    const offered = question.choices.map(({ key }) => key).filter((key) => posted.includes(key));
    return { value: offered.length === 0 ? null : offered };
  }
  if (question.kind === 'address') {
    if (!form.has(`${path}.country`)) return {};
    const address = addressOf(postedAddress(path, text));
    return { value: readAnswer(question, address).state === 'empty' ? null : address };
  }
  if (question.kind === 'date' && form.has(`${path}.year`))
    return { value: dateParts(question, path, text) || null };
  if (!form.has(path)) return {};
  const typed = text(path);
  const masked = readMasked(question, typed, Object.hasOwn(answers, path) ? answers[path] : undefined);
  if (masked) return masked === 'unchanged' ? {} : { problem: { path, code: 'maskedChanged' } };
  if (typed.trim() === '') return { value: null };
  if (typed.length > MAX_ANSWER_LENGTH)
    return { problem: { path, code: 'tooLong', vars: { max: MAX_ANSWER_LENGTH } } };
  if (question.kind === 'yesNo' && typed === 'unsure') return { value: { unsure: true } };
  const value = typedValue(question, typed, { lang, country: template.country });
  const reading = readAnswer(question, value);
  return reading.state === 'wrong' && reading.finding.code === 'notAllowed'
    ? { problem: { path, code: 'notAllowed' } }
    : { value };
}

function dateParts(
  { part }: Extract<Question, { kind: 'date' }>,
  path: string,
  text: (name: string) => string,
): string {
  const [year, month, day] = [text(`${path}.year`), text(`${path}.month`), text(`${path}.day`)];
  if (part === 'day') return dateOfParts({ year, month, day }).slice(0, 40);
  return year + month === '' ? '' : `${year}-${month}`.slice(0, 40);
}
