import { z } from 'zod';
import { defineForm } from '#platform/forms/forms.server.ts';
import { problemVars, shareProblems } from './rules.ts';

/** Opens a shared link, with the authorization code if the sender requires one. */
export const openShareForm = defineForm('sharing', () => ({
  id: 'open-share',
  title: 'openLink',
  problemTitle: 'notOpenYet',
  submit: 'openLink',
  schema: z.object({ code: z.string() }),
  fields: { code: { kind: 'text', label: 'code', hint: 'codeAsk', autocomplete: 'one-time-code' } },
  refusals: {
    CODE_WRONG: {
      field: 'code',
      text: 'codeWrong',
      vars: ({ triesLeft }) => ({ count: Number(triesLeft) }),
    },
    TOO_MANY: {
      field: 'code',
      text: ({ asleep }) => (asleep ? 'codeAsleep' : 'codePause'),
      vars: ({ minutes = 1 }) => ({ count: Number(minutes) }),
    },
    UNAVAILABLE: 'busy',
  },
}));

/** The domains that a firm's people may share with, one per line. */
export const domainsForm = defineForm('sharing', () => ({
  id: 'domains',
  title: 'domainsTitle',
  problemTitle: 'domainsNotSaved',
  submit: 'domainsSave',
  schema: z.object({ domains: z.string() }),
  fields: {
    domains: {
      kind: 'textarea',
      label: 'domainsLabel',
      hint: 'domainsHint',
      optional: true,
      rows: 8,
      maxlength: 20_000,
    },
  },
  refusals: {
    INVALID: {
      field: 'domains',
      text: ({ wrong }) => (wrong ? 'domainsWrong' : 'domainsTooMany'),
      vars: ({ wrong = [], most = 0 }) => ({
        wrong: (wrong as string[]).slice(0, 5).join(', '),
        most: most as number,
      }),
    },
  },
}));

/**
 * Shares documents by email. The page and the dialog render it, with the choices of `shareFormOptions`; the dialog
 * checks `shareProblems` before sending.
 */
export const shareForm = defineForm('sharing', (message) => ({
  id: 'share',
  title: 'title',
  problemTitle: 'errorTitle',
  submit: 'send',
  busy: 'sending',
  schema: z
    .object({
      to: z.string(),
      sendMeACopy: z.boolean(),
      subject: z.string(),
      message: z.string(),
      expirationPeriod: z.string(),
      requireCode: z.boolean(),
      code: z.string(),
    })
    .superRefine((form, context) => {
      for (const [field, problem] of Object.entries(shareProblems(form)))
        context.addIssue({
          code: 'custom',
          path: [field],
          message: message(problem).error,
          params: { vars: problemVars(form) },
        });
    }),
  fields: {
    to: { kind: 'text', label: 'to', hint: 'toHint', inputmode: 'email', autocomplete: 'off' },
    sendMeACopy: { kind: 'checkbox', label: 'copy' },
    subject: { kind: 'text', label: 'subject' },
    message: { kind: 'textarea', label: 'message', optional: true, rows: 2 },
    expirationPeriod: { kind: 'select', label: 'expiration' },
    requireCode: { kind: 'checkbox', label: 'requireCode' },
    code: { kind: 'text', label: 'code', hint: 'codeHint', autocomplete: 'off', isSecret: true },
  },
  refusals: {
    DOMAIN_NOT_ALLOWED: {
      field: 'to',
      text: 'toDomain',
      vars: ({ domains = [] }) => ({ domains: (domains as string[]).join(', ') }),
    },
    STEP_UP: { text: 'sendDocsStepUp', link: 'sendDocsProve' },
    TOO_MANY: 'sendDocsTooMany',
    INFECTED: 'sendDocsScan',
    UNSCANNED: 'sendDocsScan',
    EMPTY: 'folderEmpty',
    TOO_LARGE: 'folderTooLarge',
    NOT_FOUND: 'someAreGone',
    INVALID: 'sendDocsErrorMsg',
    FORBIDDEN: 'sendDocsErrorMsg',
    LOCKED: 'sendDocsErrorMsg',
    UNAVAILABLE: 'sendDocsErrorMsg',
    QUOTA: 'sendDocsErrorMsg',
    READ_ONLY: 'sendDocsErrorMsg',
  },
}));
