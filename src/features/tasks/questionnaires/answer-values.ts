import { addressIn } from '#platform/inputs/address.ts';
import { isDate } from '#platform/inputs/dates.ts';
import { isEmailAddress } from '#platform/inputs/email-address.ts';
import { isIdentifier, isPublicScheme, isUsualIdentifier } from './identifiers.ts';
import type { AnswerValue, Money, PlainValue, Question, QuestionOf } from './questionnaires.ts';

/*
 * Reads one stored answer: what it means for its question, and what is wrong with it. Answers are not trusted: a value
 * of another kind, from a tampered request or an earlier version, is a problem and never an exception.
 */

/** The longest amount of time, 999:59. */
export const MAX_MINUTES = 59_999;

/** The longest text of an answer. */
export const MAX_ANSWER_LENGTH = 10_000;

export type ProblemCode =
  | 'required'
  | 'requiredChoice'
  | 'requiredFiles'
  | 'mustBeYes'
  | 'notAllowed'
  | 'tooLong'
  | 'emailWrong'
  | 'numberWrong'
  | 'amountWrong'
  | 'wholeNumber'
  | 'tooManyDecimals'
  | 'wholeAmount'
  | 'negative'
  | 'tooSmall'
  | 'tooLarge'
  | 'choicesTooFew'
  | 'choicesTooMany'
  | 'choiceExclusive'
  | 'dateWrong'
  | 'monthWrong'
  | 'yearWrong'
  | 'dateTooEarly'
  | 'dateTooLate'
  | 'clockWrong'
  | 'hoursWrong'
  | 'entryUnknown'
  | 'identifierWrong'
  | 'identifierUnusual'
  | 'maskedChanged'
  | 'noneWithValue'
  | 'phoneWrong'
  | 'countryMissing'
  | 'countryNotOffered'
  | 'address1Missing'
  | 'cityMissing'
  | 'filesTooFew'
  | 'filesTooMany'
  | 'rowsTooFew'
  | 'rowsTooMany';

export interface Finding {
  code: ProblemCode;
  /** Limits and examples: numbers as they are, dates and amounts as values. */
  vars?: Readonly<Record<string, string | number | Money>>;
  /** The part of an address that it is about. */
  part?: string;
  /** The answer is accepted; the person is only asked to check it. */
  isWarning?: true;
}

export type Reading =
  | { state: 'empty' }
  | { state: 'wrong'; finding: Finding }
  | { state: 'value'; value: PlainValue; isSame: boolean; warning?: Finding }
  | { state: 'none' | 'unsure' }
  | { state: 'notYet'; by: string | undefined };

type AskedQuestion = Exclude<Question, { kind: 'note' }>;

const EMPTY: Reading = { state: 'empty' };
const wrong = (code: ProblemCode, vars?: Finding['vars'], part?: string): Reading => ({
  state: 'wrong',
  finding: { code, ...(vars && { vars }), ...(part !== undefined && { part }) },
});
const valid = (value: PlainValue, warning?: Finding): Reading => ({
  state: 'value',
  value,
  isSame: false,
  ...(warning && { warning }),
});

/** Reads an answer of a question; anything may be passed. */
export function readAnswer(question: Question, answer: unknown): Reading {
  if (question.kind === 'note' || answer === undefined || answer === null) return EMPTY;
  if (!isRecord(answer)) return readValue(question, answer);
  if (has(answer, 'none')) return allowed('none' in question && question.none, { state: 'none' });
  if (has(answer, 'unsure'))
    return allowed(question.kind === 'yesNo' && question.unsure, { state: 'unsure' });
  if (has(answer, 'notYet'))
    return allowed(question.kind === 'files' && question.notYet, {
      state: 'notYet',
      by: dayOf(answer['by']),
    });
  if (!has(answer, 'same')) return readValue(question, answer);
  if (question.lastYear === 'off' || !Object.hasOwn(answer, 'of')) return wrong('notAllowed');
  const reading = readValue(question, answer['of']);
  return reading.state === 'value' ? { ...reading, isSame: true } : reading;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const has = (answer: Record<string, unknown>, name: string): boolean =>
  Object.hasOwn(answer, name) && answer[name] === true;

const allowed = (isAllowed: boolean, reading: Reading): Reading =>
  isAllowed ? reading : wrong('notAllowed');

const dayOf = (value: unknown): string | undefined =>
  typeof value === 'string' && isDate(value) ? value : undefined;

function readValue(question: AskedQuestion, value: unknown): Reading {
  if (typeof value === 'string' && value.trim() === '') return EMPTY;
  switch (question.kind) {
    case 'text':
    case 'paragraph':
      return readText(question, value);
    case 'yesNo':
      return typeof value === 'boolean' ? valid(value) : wrong('notAllowed');
    case 'choice':
      return question.choices.some(({ key }) => key === value) ? valid(String(value)) : wrong('notAllowed');
    case 'choices':
      return readChoices(question, value);
    case 'number':
      return readNumber(question, value);
    case 'money':
      return readMoney(question, value);
    case 'date':
      return readDate(question, value);
    case 'clock':
    case 'hours':
      return readMinutes(question, value);
    case 'lookup':
      return readEntry(value);
    case 'identifier':
      return readIdentifier(question, value);
    case 'phone':
      return readPhone(value);
    case 'address':
      return readAddress(question, value);
    case 'files':
      return readFiles(question, value);
  }
}

function readText(question: QuestionOf<'text' | 'paragraph'>, value: unknown): Reading {
  if (typeof value !== 'string') return wrong('notAllowed');
  if (value.length > question.max) return wrong('tooLong', { max: question.max });
  const isEmail = question.kind === 'text' && question.format === 'email';
  return isEmail && !isEmailAddress(value.trim()) ? wrong('emailWrong') : valid(value);
}

function readChoices({ choices, min, max }: QuestionOf<'choices'>, value: unknown): Reading {
  if (!Array.isArray(value) || value.length > choices.length) return wrong('notAllowed');
  if (value.length === 0) return EMPTY;
  const chosen = new Set<unknown>(value);
  const found = choices.filter(({ key }) => chosen.has(key));
  if (found.length !== value.length) return wrong('notAllowed');
  if (found.length > 1 && found.some(({ exclusive }) => exclusive)) return wrong('choiceExclusive');
  if (max !== undefined && found.length > max) return wrong('choicesTooMany', { max });
  if (min !== undefined && found.length < min && !found[0]?.exclusive) return wrong('choicesTooFew', { min });
  return valid(found.map(({ key }) => key));
}

function readNumber({ min = 0, max, decimals }: QuestionOf<'number'>, value: unknown): Reading {
  if (typeof value !== 'number' || !Number.isFinite(value))
    return wrong(typeof value === 'string' ? 'numberWrong' : 'notAllowed');
  if (Number(value.toFixed(decimals)) !== value)
    return decimals === 0 ? wrong('wholeNumber') : wrong('tooManyDecimals', { max: decimals });
  if (value < min) return min === 0 ? wrong('negative') : wrong('tooSmall', { min });
  const limit = max ?? MAX_NUMBER;
  return value > limit ? wrong('tooLarge', { max: limit }) : valid(value);
}

const MAX_NUMBER = 999_999_999;
/** Spec 2 section 9; amounts in whole units may be larger. */
const MAX_AMOUNT = 9_999_999.99;
const MAX_WHOLE_AMOUNT = 999_999_999;

const digits = new Map<string, number>();

/** The number of decimals of a currency. */
export function currencyDigits(currency: string): number {
  const known =
    digits.get(currency) ??
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ??
    2;
  digits.set(currency, known);
  return known;
}

function readMoney({ currency, signed, whole }: QuestionOf<'money'>, value: unknown): Reading {
  if (typeof value === 'string') return wrong('amountWrong');
  if (!isRecord(value)) return wrong('notAllowed');
  const minor = Object.hasOwn(value, 'minor') ? value['minor'] : undefined;
  if (typeof minor !== 'number' || !Number.isSafeInteger(minor) || value['currency'] !== currency)
    return wrong('notAllowed');
  if (minor < 0 && !signed) return wrong('negative');
  const unit = 10 ** currencyDigits(currency);
  if (whole && minor % unit !== 0) return wrong('wholeAmount');
  const max = Math.floor((whole ? MAX_WHOLE_AMOUNT : MAX_AMOUNT) * unit);
  return Math.abs(minor) > max
    ? wrong('tooLarge', { max: { minor: max, currency } })
    : valid({ minor, currency });
}

const PARTS = {
  day: { pattern: /^\d{4}-\d\d-\d\d$/, rest: '', code: 'dateWrong' },
  month: { pattern: /^\d{4}-\d\d$/, rest: '-01', code: 'monthWrong' },
  year: { pattern: /^\d{4}$/, rest: '-01-01', code: 'yearWrong' },
} as const;

/** Whether the text is a date of this precision: `2026-02-28`, `2026-02` or `2026`. */
export const isDatePart = (part: QuestionOf<'date'>['part'], text: string): boolean =>
  PARTS[part].pattern.test(text) && text >= '1000' && isDate(text + PARTS[part].rest);

function readDate({ part, earliest, latest }: QuestionOf<'date'>, value: unknown): Reading {
  if (typeof value !== 'string') return wrong('notAllowed');
  if (!isDatePart(part, value)) return wrong(PARTS[part].code);
  if (earliest !== undefined && value < earliest) return wrong('dateTooEarly', { min: earliest });
  return latest !== undefined && value > latest ? wrong('dateTooLate', { max: latest }) : valid(value);
}

const DAY = 1440;

function readMinutes(question: QuestionOf<'clock' | 'hours'>, value: unknown): Reading {
  const code = question.kind === 'clock' ? 'clockWrong' : 'hoursWrong';
  if (typeof value === 'string') return wrong(code);
  const minutes = isRecord(value) ? value['minutes'] : undefined;
  if (typeof minutes !== 'number' || !Number.isInteger(minutes) || minutes < 0) return wrong('notAllowed');
  const { min, max } = question.kind === 'hours' ? question : { min: 0, max: DAY - 1 };
  if (minutes < min) return wrong('tooSmall', { min: hoursAndMinutes(min) });
  return minutes > max ? wrong('tooLarge', { max: hoursAndMinutes(max) }) : valid({ minutes });
}

/** An amount of time as it is typed and shown: `44:00`. */
export const hoursAndMinutes = (minutes: number): string =>
  `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;

/** Text is what the list does not have: the server has looked it up when it was saved. */
function readEntry(value: unknown): Reading {
  if (typeof value === 'string') return wrong('entryUnknown');
  const { key, text } = isRecord(value) ? value : {};
  return typeof key === 'string' && typeof text === 'string' ? valid({ key, text }) : wrong('notAllowed');
}

function readIdentifier({ scheme }: QuestionOf<'identifier'>, value: unknown): Reading {
  if (typeof value !== 'string') return wrong('notAllowed');
  if (!isIdentifier(scheme, value)) return wrong('identifierWrong', { scheme });
  return isUsualIdentifier(scheme, value)
    ? valid(value)
    : valid(value, { code: 'identifierUnusual', isWarning: true });
}

function readPhone(value: unknown): Reading {
  if (typeof value === 'string') return wrong('phoneWrong');
  if (!isRecord(value) || !Object.hasOwn(value, 'e164') || !Object.hasOwn(value, 'typed'))
    return wrong('notAllowed');
  const { typed, e164 } = value;
  if (typeof typed !== 'string' || typeof e164 !== 'string' || typed.length > 60) return wrong('notAllowed');
  return /^\+[1-9]\d{6,14}$/.test(e164) ? valid({ typed, e164 }) : wrong('phoneWrong');
}

function readAddress({ countries }: QuestionOf<'address'>, value: unknown): Reading {
  if (!isRecord(value)) return wrong('notAllowed');
  const address = addressIn(value);
  const { country, ...rest } = address;
  if (Object.values(address).every((text) => text.trim() === '')) return EMPTY;
  if (Object.values(address).some((text) => text.length > 200)) return wrong('notAllowed');
  // the country alone is what the page offers at first
  if (Object.values(rest).every((text) => text.trim() === '')) return EMPTY;
  if (!/^[A-Z]{2}$/.test(country)) return wrong('countryMissing', undefined, 'country');
  if (countries && !countries.includes(country)) return wrong('countryNotOffered', undefined, 'country');
  if (address.address1.trim() === '') return wrong('address1Missing', undefined, 'address1');
  return address.city.trim() === '' ? wrong('cityMissing', undefined, 'city') : valid(address);
}

function readFiles({ min, max }: QuestionOf<'files'>, value: unknown): Reading {
  if (!Array.isArray(value) || value.length > 1000) return wrong('notAllowed');
  if (value.length === 0) return EMPTY;
  const ids = value.filter((id): id is string => typeof id === 'string' && id !== '' && id.length <= 200);
  if (ids.length !== value.length || new Set(ids).size !== ids.length) return wrong('notAllowed');
  if (ids.length > max) return wrong('filesTooMany', { max });
  return ids.length < min ? wrong('filesTooFew', { min }) : valid(ids);
}

/** Whether no condition may depend on an answer, and it is kept out of whatever it need not be in. */
export const isSensitive = (question: Question): boolean =>
  question.kind !== 'note' &&
  (question.sensitive || (question.kind === 'identifier' && !isPublicScheme(question.scheme)));

/** Whether only masked forms of an answer may be shown. */
export const isMasked = (question: Question): boolean =>
  isSensitive(question) && !(question.kind === 'identifier' && question.isShown && !question.sensitive);

/**
 * Whether the answer of another year may be used again. Documents are of their year; entries of lists may be gone; declarations and sensitive
 * numbers are always entered anew.
 */
export const mayRepeat = (question: Question): boolean =>
  question.kind !== 'note' &&
  question.kind !== 'files' &&
  question.kind !== 'lookup' &&
  question.lastYear !== 'off' &&
  !isSensitive(question) &&
  !(question.kind === 'yesNo' && question.mustBeYes);

/** The value of an answer, also of one that repeats last year's. */
export const ownValue = (
  answer: AnswerValue | undefined,
): Exclude<AnswerValue, { same: true }> | undefined =>
  typeof answer === 'object' && 'same' in answer ? answer.of : answer;

/** Whether two answers are the same, whatever the order of their properties. */
export function isSameAnswer(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true; // === does not hold for NaN
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, at) => isSameAnswer(each, other[at]));
  if (!isRecord(one) || !isRecord(other)) return one === other;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameAnswer(one[name], other[name]))
  );
}
