import { z } from 'zod';
import { emailAddress } from '#platform/inputs/line-schemas.ts';
import {
  emailField,
  newPasswordField,
  newPasswordRefusals,
  passwordProblem,
  tooMany,
} from '#features/identity/credentials/forms.server.ts';
import { defineForm } from '#platform/forms/forms.server.ts';

/** Requests a password reset link. */
export const forgotForm = defineForm('access', () => ({
  id: 'forgot',
  title: 'forgotTitle',
  problemTitle: 'errorTitle',
  submit: 'forgotSubmit',
  schema: z.object({ email: emailAddress }),
  fields: { email: emailField },
  refusals: {
    TOO_MANY: { field: 'email', ...tooMany },
    UNAVAILABLE: { field: 'email', text: 'busy' },
  },
}));

/** Resets the password with a link. */
export const resetForm = defineForm('access', () => ({
  id: 'reset',
  title: 'setPassword',
  problemTitle: 'errorTitle',
  submit: 'setPassword',
  schema: z.object({ password: z.string() }),
  fields: { password: newPasswordField },
  refusals: newPasswordRefusals,
}));

/** Resets the password with a rescue code from the firm. */
export const rescueCodeForm = defineForm('access', (message) => ({
  id: 'rescue',
  title: 'rescueTitle',
  problemTitle: 'errorTitle',
  submit: 'setPassword',
  schema: z.object({
    email: emailAddress,
    code: z.string().trim().min(1, message('codeMissing')),
    password: z.string(),
  }),
  fields: {
    email: emailField,
    code: {
      kind: 'text',
      label: 'rescueCode',
      hint: 'rescueCodeHint',
      inputmode: 'numeric',
      autocomplete: 'one-time-code',
      maxlength: 100,
    },
    password: newPasswordField,
  },
  refusals: {
    SIGN_IN_FAILED: { field: 'code', text: 'rescueWrong' },
    INVALID: { field: 'password', text: passwordProblem },
    TOO_MANY: { field: 'email', ...tooMany },
    UNAVAILABLE: { field: 'email', text: 'busy' },
  },
}));

/** Creates a rescue code for a contact. */
export const rescueForm = defineForm('access', () => ({
  id: 'rescue',
  title: 'helpTitle',
  problemTitle: 'helpErrorTitle',
  submit: 'helpSubmit',
  schema: z.object({ email: z.string().trim() }),
  fields: {
    email: { kind: 'text', type: 'email', label: 'helpEmail', autocomplete: 'off', maxlength: 320 },
  },
  refusals: {
    NOT_FOUND: { field: 'email', text: 'helpUnknown' },
    FORBIDDEN: { field: 'email', text: 'helpRefused' },
  },
}));
