import { readEmailAddresses } from '#platform/inputs/email-addresses.ts';

/** The rules of the share form for page, island and server (spec 1, section 5). */

/** Expiration options in days, the default first (spec 1, section 9). */
export const EXPIRATION_DAYS = {
  AfterThreeDays: 3,
  AfterTwoWeeks: 14,
  AfterOneWeek: 7,
  AfterOneDay: 1,
} as const;
export type ExpirationPeriod = keyof typeof EXPIRATION_DAYS;
/** The options, the shortest first. */
export const EXPIRATION_PERIODS: readonly ExpirationPeriod[] = [
  'AfterOneDay',
  'AfterThreeDays',
  'AfterOneWeek',
  'AfterTwoWeeks',
];
export const DEFAULT_EXPIRATION: ExpirationPeriod = 'AfterThreeDays';

export const MAX_RECIPIENTS = 20;
export const MIN_CODE = 6;
export const MAX_CODE = 64;
export const MAX_SUBJECT = 200;
export const MAX_MESSAGE = 4000;
/** Maximum number of documents of one link (the same as for an archive). */
export const MAX_FILES = 2000;

const MAX_NAMES = 2;

/** Names recipients in a message: the first ones, and how many more there are. */
export function recipientNames(
  addresses: readonly string[],
  t: (key: 'moreRecipients', vars: { names: string; count: number }) => string,
): string {
  const names = addresses.slice(0, MAX_NAMES).join(', ');
  const count = addresses.length - MAX_NAMES;
  return count > 0 ? t('moreRecipients', { names, count }) : names;
}

/** The values of the messages of {@link shareProblems}: what was entered instead of an address. */
export const problemVars = ({ to }: ShareForm): { wrong: string } => ({
  wrong: readEmailAddresses(to).wrong.slice(0, 3).join(', '),
});

const COMMON_CODES = new Set([
  '123456',
  '1234567',
  '12345678',
  '123456789',
  'password',
  'passwort',
  'qwerty',
  'abc123',
  'abcdef',
  '654321',
  'senha123',
  'letmein',
]);

export const isGuessable = (code: string): boolean =>
  COMMON_CODES.has(code.toLowerCase()) || /^(.)\1*$/.test(code);

export interface ShareForm {
  to: string;
  sendMeACopy: boolean;
  subject: string;
  message: string;
  expirationPeriod: string;
  requireCode: boolean;
  code: string;
}

/** The initial values of the form. */
export const EMPTY_SHARE: ShareForm = {
  to: '',
  sendMeACopy: false,
  subject: '',
  message: '',
  expirationPeriod: DEFAULT_EXPIRATION,
  requireCode: false,
  code: '',
};

export type ShareField = 'to' | 'subject' | 'message' | 'expirationPeriod' | 'code';

/**
 * Returns the translation key of the error of each field; an empty result means that the form can be sent.
 */
export function shareProblems(form: ShareForm): Partial<Record<ShareField, ShareProblem>> {
  const { addresses, wrong } = readEmailAddresses(form.to);
  const problems: Partial<Record<ShareField, ShareProblem>> = {};
  if (addresses.length + wrong.length === 0) problems.to = 'toMissing';
  else if (wrong.length > 0) problems.to = 'validationEmail';
  else if (addresses.length > MAX_RECIPIENTS) problems.to = 'toTooMany';
  if (form.subject.trim() === '') problems.subject = 'subjectMissing';
  else if (form.subject.length > MAX_SUBJECT) problems.subject = 'subjectTooLong';
  if (form.message.length > MAX_MESSAGE) problems.message = 'messageTooLong';
  if (!Object.hasOwn(EXPIRATION_DAYS, form.expirationPeriod)) problems.expirationPeriod = 'expirationMissing';
  if (form.requireCode) {
    if (form.code.trim() === '') problems.code = 'codeMissing';
    else if (form.code.trim().length < MIN_CODE) problems.code = 'codeTooShort';
    else if (form.code.trim().length > MAX_CODE) problems.code = 'codeTooLong';
    else if (isGuessable(form.code.trim())) problems.code = 'codeGuessable';
  } else if (form.code.trim() !== '') problems.code = 'codeNotRequired';
  return problems;
}

export type ShareProblem =
  | 'toMissing'
  | 'validationEmail'
  | 'toTooMany'
  | 'subjectMissing'
  | 'subjectTooLong'
  | 'messageTooLong'
  | 'expirationMissing'
  | 'codeMissing'
  | 'codeTooShort'
  | 'codeTooLong'
  | 'codeGuessable'
  | 'codeNotRequired';
