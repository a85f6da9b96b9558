import { randomBytes } from 'node:crypto';
import { readTypedDate } from '#platform/inputs/typed-dates.ts';
import type { Lang } from '#platform/text/languages.ts';
import { isSameAnswer, ownValue, readAnswer } from './answer-values.ts';
import type { AnswerChange, Answers, AnswerValue, Group, Question, Template } from './questionnaires.ts';
import { isRowId, orderPath, rowsOf, type Problem } from './rules.ts';
import { entryPath, nonePath, typedAnswer, type TypedQuestion } from './typed-answers.ts';
import { addressOf, isAddress, readMasked } from './values.server.ts';

/*
 * Reads a posted section. What was typed wrong is an answer, too, so that the page shows it again beside its problem;
 * a question that the form did not contain is left as it is.
 */

interface Post {
  section: string;
  form: FormData;
  /** The stored answers. */
  answers: Answers;
  lang: Lang;
}

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
    if (isSameAnswer(ownValue(stored) ?? null, value)) return;
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
  question: TypedQuestion,
  { form, answers, template, lang }: Reader,
): { value?: AnswerValue | null; problem?: Problem } {
  const text = form.get(path);
  const stored = Object.hasOwn(answers, path) ? answers[path] : undefined;
  const masked = typeof text === 'string' ? readMasked(question, text, stored) : undefined;
  if (masked) return masked === 'unchanged' ? {} : { problem: { path, code: 'maskedChanged' } };
  if (question.kind === 'lookup' && isUnchangedEntry(path, form, stored)) return {};
  const read = typedAnswer(path, question, {
    form,
    lang,
    country: template.country,
    readDate: readTypedDate,
  });
  if (question.kind !== 'address' || !isAddress(read.value)) return read;
  const address = addressOf(read.value);
  return { value: readAnswer(question, address).state === 'empty' ? null : address };
}

/** An entry stays, even if its list no longer has it, while its text does. */
const isUnchangedEntry = (path: string, form: FormData, stored: AnswerValue | undefined): boolean =>
  typeof stored === 'object' &&
  'key' in stored &&
  stored.text === form.get(path) &&
  !form.get(entryPath(path));
