import { z } from 'zod';
import { defineForm } from '#platform/forms/forms.server.ts';
import type { SignField } from './internal/rows.server.ts';
import { MAX_DRAWING, MAX_NAME, MAX_REASON, MAX_VALUE } from './signing.ts';

const isTrue = (value: boolean): boolean => value;

/** Agrees to sign electronically. The box is never ticked beforehand. */
export const agreeForm = defineForm('signing', (message) => ({
  id: 'agree',
  title: 'agreeTitle',
  problemTitle: 'agreeProblem',
  submit: 'agreeSubmit',
  schema: z.object({
    version: z.string().max(64),
    agree: z.boolean().refine(isTrue, message('agreeMissing')),
  }),
  fields: {
    version: { kind: 'hidden' },
    agree: { kind: 'checkbox', label: 'agreeBox' },
  },
  refusals: {
    CHANGED: 'agreeProblem',
    TURN: 'refusedTurn',
    CLOSED: 'refusedClosed',
    EXPIRED: 'refusedExpired',
  },
}));

const MAX_CONSENT = 10_000;

/** The firm's own text of the agreement to sign electronically. */
export const consentForm = defineForm('signing', (message) => ({
  id: 'consent-text',
  title: 'consentTitle',
  problemTitle: 'consentProblem',
  submit: 'consentSave',
  schema: z.object({ text: z.string().trim().min(1, message('consentMissing')).max(MAX_CONSENT) }),
  fields: {
    text: {
      kind: 'textarea',
      label: 'consentLabel',
      hint: 'consentHint',
      rows: 14,
      maxlength: MAX_CONSENT,
      missing: 'consentMissing',
    },
  },
}));

/** Declines to sign, with the reason that it requires. */
export const declineForm = defineForm('signing', (message) => ({
  id: 'decline',
  title: 'decline',
  problemTitle: 'declineProblem',
  submit: 'decline',
  schema: z.object({ reason: z.string().trim().min(1, message('declineMissing')).max(MAX_REASON) }),
  fields: {
    reason: {
      kind: 'textarea',
      label: 'declineReason',
      hint: 'declineHint',
      rows: 3,
      maxlength: MAX_REASON,
      missing: 'declineMissing',
    },
  },
  refusals: { TURN: 'refusedTurn', CLOSED: 'refusedClosed', EXPIRED: 'refusedExpired' },
}));

/** Opens a link with the access code. */
export const openLinkForm = defineForm('signing', (message) => ({
  id: 'open-link',
  title: 'linkClosedTitle',
  problemTitle: 'linkNotOpen',
  submit: 'linkOpen',
  schema: z.object({ code: z.string().trim().min(1, message('codeMissing')).max(40) }),
  fields: {
    code: {
      kind: 'text',
      label: 'linkCode',
      hint: 'linkCodeHint',
      inputmode: 'numeric',
      autocomplete: 'one-time-code',
      maxlength: 40,
    },
  },
  refusals: {
    CODE_WRONG: {
      field: 'code',
      text: 'linkCodeWrong',
      vars: ({ triesLeft }) => ({ count: Number(triesLeft) }),
    },
    TOO_MANY: {
      field: 'code',
      text: ({ asleep }) => (asleep ? 'linkAsleep' : 'linkPause'),
      vars: ({ minutes = 1 }) => ({ count: Number(minutes) }),
    },
  },
}));

/** The label of a field: its kind, its page, and the text beside it. */
const labelOf = ({ label }: SignField): 'fieldPlace' | 'fieldPlaceNear' =>
  label === '' ? 'fieldPlace' : 'fieldPlaceNear';

/** Signs: the fields that this signer fills in, their name, and the code of the identity check if there is one. */
export const signForm = (
  fields: readonly SignField[],
  {
    kinds,
    asksForCode,
  }: { kinds: Readonly<Record<SignField['kind'], string>>; asksForCode: 'mail' | 'totp' | undefined },
) =>
  defineForm('signing', (message) => {
    const schemaOf = ({ kind, required }: SignField) =>
      kind === 'checkbox'
        ? z.boolean().refine((isTicked) => isTicked || !required, message('boxMissing'))
        : z
            .string()
            .trim()
            .min(required ? 1 : 0, message('valueMissing'))
            .max(MAX_VALUE);
    const shape: Record<string, z.ZodString | z.ZodBoolean> = {
      sha256: z.string().max(64),
      timeZone: z.string().max(60),
      drawing: z.string().max(MAX_DRAWING),
      ...Object.fromEntries(fields.map((field) => [field.fieldId, schemaOf(field)])),
      name: z.string().trim().min(1, message('signNameMissing')).max(MAX_NAME),
      ...(asksForCode && { code: z.string().trim().min(1, message('codeMissing')).max(20) }),
    };
    return {
      id: 'sign',
      title: 'signTitle' as const,
      problemTitle: 'signProblem' as const,
      submit: 'signSubmit' as const,
      schema: z.object(shape),
      fields: {
        sha256: { kind: 'hidden' as const },
        timeZone: { kind: 'hidden' as const, isTimeZone: true as const },
        drawing: { kind: 'hidden' as const },
        ...Object.fromEntries(
          fields.map((field) => {
            const label = labelOf(field);
            const vars = { kind: kinds[field.kind], page: field.page, near: field.label };
            return [
              field.fieldId,
              field.kind === 'checkbox'
                ? { kind: 'checkbox' as const, label, vars }
                : {
                    kind: 'text' as const,
                    label,
                    vars,
                    maxlength: MAX_VALUE,
                    ...(!field.required && { optional: true as const }),
                  },
            ];
          }),
        ),
        name: {
          kind: 'text' as const,
          label: 'signName' as const,
          hint: 'signNameHint' as const,
          autocomplete: 'name',
          maxlength: MAX_NAME,
        },
        ...(asksForCode && {
          code: {
            kind: 'text' as const,
            label: 'code' as const,
            hint: asksForCode === 'mail' ? ('codeMailHint' as const) : ('codeTotpHint' as const),
            inputmode: 'numeric' as const,
            autocomplete: 'one-time-code',
            maxlength: 20,
          },
        }),
      },
      refusals: {
        CHANGED: 'refusedChanged' as const,
        TURN: 'refusedTurn' as const,
        CLOSED: 'refusedClosed' as const,
        EXPIRED: 'refusedExpired' as const,
        INCOMPLETE: 'refusedIncomplete' as const,
        INVALID: {
          field: ({ field }) => (typeof field === 'string' ? field : 'drawing'),
          text: ({ field, letters }) =>
            letters === undefined ? 'drawWrong' : field === 'name' ? 'nameLetters' : 'valueLetters',
          vars: ({ letters }) => ({ letters: typeof letters === 'string' ? letters : '' }),
        },
        CODE_WRONG: { field: 'code', text: 'codeWrong' as const },
        TOO_MANY: { field: 'code', text: 'codeTooMany' as const },
        MFA_AUTHENTICATION_REQUIRED: { text: 'totpMissing' as const, link: 'totpSetUp' as const },
      },
    };
  });
