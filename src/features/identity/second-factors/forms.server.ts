import { z } from 'zod';
import { passwordProblem, tooMany } from '#features/identity/credentials/forms.server.ts';
import { defineForm } from '#platform/forms/forms.server.ts';

const codeField = {
  kind: 'text',
  label: 'totpLabel',
  hint: 'totpHint',
  wrong: 'codeWrong',
  inputmode: 'numeric',
  autocomplete: 'one-time-code',
  maxlength: 12,
} as const;
const wrongCode = {
  CODE_WRONG: { field: 'code', text: 'codeWrong' },
  TOO_MANY: { field: 'code', ...tooMany },
} as const;
const codeTyped = z.object({ code: z.string().min(1).max(256) });

/** Step-up authentication with the password. */
export const confirmForm = defineForm('security', () => ({
  id: 'confirm',
  title: 'confirmTitle',
  problemTitle: 'notDone',
  submit: 'confirmSubmit',
  schema: z.object({ password: z.string().min(1).max(256) }),
  fields: {
    password: {
      kind: 'password',
      label: 'passwordLabel',
      wrong: 'passwordWrong',
      autocomplete: 'current-password',
      maxlength: 256,
    },
  },
  refusals: {
    CODE_WRONG: { field: 'password', text: 'passwordWrong' },
    TOO_MANY: { field: 'password', ...tooMany },
  },
}));

/** Step-up authentication with an authenticator app. */
export const confirmByAppForm = defineForm('security', () => ({
  id: 'confirm-app',
  title: 'appTitle',
  problemTitle: 'notDone',
  submit: 'confirmSubmit',
  schema: codeTyped,
  fields: { code: codeField },
  refusals: wrongCode,
}));

/** The second factor of a sign-in: a code of an authenticator app. */
export const secondStepForm = defineForm('security', () => ({
  id: 'second-step',
  title: 'secondStepTitle',
  problemTitle: 'notDone',
  submit: 'goOn',
  schema: codeTyped,
  fields: { code: codeField },
  refusals: wrongCode,
}));

/** The second factor of a sign-in: a recovery code. */
export const recoveryForm = defineForm('security', () => ({
  id: 'recovery',
  title: 'recoveryOpen',
  problemTitle: 'notDone',
  submit: 'goOn',
  schema: codeTyped,
  fields: {
    code: {
      kind: 'text',
      label: 'recoveryLabel',
      hint: 'recoveryHint',
      wrong: 'recoveryWrong',
      autocomplete: 'off',
      maxlength: 40,
    },
  },
  refusals: {
    CODE_WRONG: { field: 'code', text: 'recoveryWrong' },
    TOO_MANY: { field: 'code', ...tooMany },
  },
}));

/** Confirms a new authenticator app with its first code. */
export const newAppForm = defineForm('security', () => ({
  id: 'app-code',
  title: 'appConfirm',
  problemTitle: 'notDone',
  submit: 'appConfirm',
  schema: codeTyped,
  fields: { code: codeField },
  refusals: wrongCode,
}));

/** Changes one's own password. */
export const passwordForm = defineForm('security', () => ({
  id: 'password',
  title: 'passwordTitle',
  problemTitle: 'notDone',
  submit: 'passwordChange',
  schema: z.object({ current: z.string(), next: z.string() }),
  fields: {
    current: {
      kind: 'password',
      label: 'currentLabel',
      autocomplete: 'current-password',
      maxlength: 256,
    },
    next: {
      kind: 'password',
      label: 'newLabel',
      hint: 'newHint',
      autocomplete: 'new-password',
      maxlength: 256,
    },
  },
  refusals: {
    CODE_WRONG: { field: 'current', text: 'passwordWrong' },
    TOO_MANY: { field: 'current', ...tooMany },
    INVALID: { field: 'next', text: passwordProblem },
  },
}));
