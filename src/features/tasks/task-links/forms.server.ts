import { z } from 'zod';
import { isGuessable } from '#features/sharing/sharing/rules.ts';
import { emailAddressWith, line } from '#platform/inputs/line-schemas.ts';
import { defineForm } from '#platform/forms/forms.server.ts';

/** How long a link works, in days. */
const LIFETIMES = ['3', '7', '14', '30'] as const;

/** Asks somebody else to answer a step. */
export const askForm = defineForm('task-links', (message) => ({
  id: 'ask',
  title: 'askTitle',
  problemTitle: 'askProblem',
  submit: 'askSend',
  schema: z.object({
    section: z.string().max(40),
    person: line(100).min(1, message('personMissing')),
    email: emailAddressWith(message('emailWrong')),
    code: z
      .string()
      .trim()
      .min(6, message('codeShort'))
      .max(40, message('codeShort'))
      .refine((code) => !isGuessable(code), message('codeGuessable')),
    days: z.enum(LIFETIMES),
    showsAnswers: z.boolean(),
    message: z.string().trim().max(1000),
  }),
  fields: {
    section: { kind: 'select', label: 'section' },
    person: { kind: 'text', label: 'person', maxlength: 100, autocomplete: 'off' },
    email: {
      kind: 'text',
      label: 'email',
      type: 'email',
      maxlength: 254,
      autocomplete: 'off',
      missing: 'emailWrong',
    },
    code: {
      kind: 'text',
      label: 'code',
      hint: 'codeHint',
      maxlength: 40,
      autocomplete: 'off',
      isSecret: true,
    },
    days: {
      kind: 'select',
      label: 'days',
      options: [
        ['3', 'days3'],
        ['7', 'days7'],
        ['14', 'days14'],
        ['30', 'days30'],
      ],
    },
    showsAnswers: { kind: 'checkbox', label: 'showsAnswers' },
    message: { kind: 'textarea', label: 'message', rows: 3, maxlength: 1000, optional: true },
  },
  refusals: {
    DOMAIN_NOT_ALLOWED: { field: 'email', text: 'emailNotAllowed' },
    CLOSED: 'refusedClosed',
    EXPIRED: 'refusedClosed',
    TOO_MANY: 'refusedTooMany',
  },
}));

/** Opens a link with its code. */
export const openLinkForm = defineForm('task-links', (message) => ({
  id: 'open',
  title: 'closedTitle',
  problemTitle: 'notOpened',
  submit: 'open',
  schema: z.object({ code: z.string().trim().min(1, message('codeMissing')).max(100) }),
  fields: {
    code: { kind: 'text', label: 'code', hint: 'codeAsk', autocomplete: 'one-time-code', isSecret: true },
  },
  refusals: {
    CODE_WRONG: { field: 'code', text: 'codeWrong', vars: ({ triesLeft }) => ({ count: Number(triesLeft) }) },
    TOO_MANY: {
      field: 'code',
      text: ({ asleep }) => (asleep ? 'codeAsleep' : 'codePause'),
      vars: ({ minutes = 1 }) => ({ count: Number(minutes) }),
    },
    UNAVAILABLE: 'busy',
  },
}));
