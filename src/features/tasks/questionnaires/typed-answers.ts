import { addressFromParts } from '#platform/inputs/address.ts';
import { dateOfParts } from '#platform/inputs/dates.ts';
import { MAX_ANSWER_LENGTH, readAnswer } from './answer-values.ts';
import type { AnswerValue, Question, QuestionOf } from './questionnaires.ts';
import type { Problem } from './rules.ts';
import { typedValue, type Reader } from './typed-values.ts';

/* The answers in a form of questions, for the server, which reads what is posted, and for the editor in the browser. */

/** The name of the checkbox "I have none". */
export const nonePath = (path: string): string => `${path}#none`;

/** The names of the entries that a list has for what was typed, and of what that was. */
export const entryPath = (path: string): string => `${path}#entry`;
export const wordsPath = (path: string): string => `${path}#words`;

/** A question that is answered in the form itself. */
export type TypedQuestion = Exclude<Question, { kind: 'note' | 'files' }>;

/** The answer to a question in a form; without a value, the form does not ask it, or the problem prevents it. */
export function typedAnswer(
  path: string,
  question: TypedQuestion,
  { form, ...reader }: Reader & { form: FormData },
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
    const address = addressFromParts((part) => text(`${path}.${part}`));
    return { value: readAnswer(question, address).state === 'empty' ? null : address };
  }
  if (question.kind === 'date' && form.has(`${path}.year`))
    return { value: dateParts(question, path, text) || null };
  if (!form.has(path)) return {};
  const typed = text(path);
  if (typed.trim() === '') return { value: null };
  if (typed.length > MAX_ANSWER_LENGTH)
    return { problem: { path, code: 'tooLong', vars: { max: MAX_ANSWER_LENGTH } } };
  // an entry that was chosen for these words, unless others have been typed since
  if (question.kind === 'lookup' && text(wordsPath(path)) === typed)
    return { value: text(entryPath(path)) || typed.trim() };
  if (question.kind === 'yesNo' && typed === 'unsure') return { value: { unsure: true } };
  const value = typedValue(question, typed, reader);
  const reading = readAnswer(question, value);
  return reading.state === 'wrong' && reading.finding.code === 'notAllowed'
    ? { problem: { path, code: 'notAllowed' } }
    : { value };
}

function dateParts({ part }: QuestionOf<'date'>, path: string, text: (name: string) => string): string {
  const [year, month, day] = [text(`${path}.year`), text(`${path}.month`), text(`${path}.day`)];
  if (part === 'day') return dateOfParts({ year, month, day }).slice(0, 40);
  return year + month === '' ? '' : `${year}-${month}`.slice(0, 40);
}
