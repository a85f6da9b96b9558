import { z } from 'zod';
import { minutesUntilRetry } from '#platform/errors.server.ts';
import { defineForm } from '#platform/forms.server.ts';
import { emailAddress, invitationRequest, ownerDetails } from './identity.ts';
import type { PasswordProblem } from './rules.ts';

type Details = Record<string, unknown>;

const emailField = {
  kind: 'text',
  type: 'email',
  label: 'email',
  wrong: 'emailMissing',
  autocomplete: 'username',
} as const;
const newPasswordField = {
  kind: 'password',
  label: 'newPassword',
  hint: 'passwordHint',
  autocomplete: 'new-password',
} as const;
/** What is wrong with a new password is said in words of the same names. */
const passwordProblem = ({ password }: Details) => password as PasswordProblem | undefined;
const tooMany = {
  text: 'tooMany',
  vars: (details: Details) => ({ count: minutesUntilRetry({ details }) }),
} as const;
/** The messages for a rejected new password. */
const newPasswordRefusals = {
  INVALID: { field: 'password', text: passwordProblem },
  TOO_MANY: { field: 'password', ...tooMany },
  UNAVAILABLE: { field: 'password', text: 'busy' },
} as const;

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

/** Accepts an invitation and sets the password of the new account. */
export const acceptForm = defineForm('access', () => ({
  id: 'accept',
  title: 'invitationTitle',
  problemTitle: 'errorTitle',
  submit: 'invitationSubmit',
  schema: z.object({ password: z.string() }),
  fields: { password: newPasswordField },
  refusals: newPasswordRefusals,
}));

const refusalsWithoutField = {
  TOO_MANY: tooMany,
  UNAVAILABLE: { text: ({ away }: Details) => (away === 'issuer' ? 'issuerAway' : 'busy') },
} as const;

/** Accepts an invitation by signing in with an external issuer. */
export const acceptAtIssuerForm = defineForm('access', () => ({
  id: 'accept',
  title: 'invitationTitle',
  problemTitle: 'errorTitle',
  submit: 'continueWith',
  schema: z.object({}),
  fields: {},
  refusals: refusalsWithoutField,
}));

/** Accepts an invitation to another firm with the signed-in account. */
export const joinForm = defineForm('access', () => ({
  id: 'join',
  title: 'invitationTitle',
  problemTitle: 'errorTitle',
  submit: 'invitationJoin',
  schema: z.object({}),
  fields: {},
  refusals: refusalsWithoutField,
}));

const ownerFields = {
  firmName: {
    kind: 'text',
    label: 'firmName',
    wrong: 'firmNameMissing',
    autocomplete: 'organization',
    maxlength: 100,
  },
  phone: {
    kind: 'text',
    type: 'tel',
    label: 'phone',
    optional: true,
    autocomplete: 'tel',
    maxlength: 40,
  },
  firstName: {
    kind: 'text',
    label: 'firstName',
    wrong: 'firstNameMissing',
    autocomplete: 'given-name',
    maxlength: 100,
  },
  lastName: {
    kind: 'text',
    label: 'lastName',
    wrong: 'lastNameMissing',
    autocomplete: 'family-name',
    maxlength: 100,
  },
  email: emailField,
} as const;
const timeZoneField = { kind: 'hidden', isTimeZone: true } as const;

/** Creates the firm and its first owner in an empty portal. */
export const ownerForm = defineForm('access', () => ({
  id: 'owner',
  title: 'ownerTitle',
  problemTitle: 'errorTitle',
  submit: 'ownerSubmit',
  schema: ownerDetails.extend({ timeZone: z.string().max(100), password: z.string() }),
  fields: { ...ownerFields, password: newPasswordField, timeZone: timeZoneField },
  refusals: newPasswordRefusals,
}));

/** The same with an external issuer, which holds the password. */
export const ownerAtIssuerForm = defineForm('access', () => ({
  id: 'owner',
  title: 'ownerTitle',
  problemTitle: 'errorTitle',
  submit: 'continueWith',
  schema: ownerDetails.extend({ timeZone: z.string().max(100) }),
  fields: { ...ownerFields, timeZone: timeZoneField },
  refusals: refusalsWithoutField,
}));

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

/** Invites a contact to the firm. */
export const invitationForm = defineForm('access', () => ({
  id: 'invitation',
  title: 'inviteTitle',
  problemTitle: 'inviteErrorTitle',
  submit: 'inviteSubmit',
  schema: invitationRequest,
  fields: {
    emailAddress: {
      kind: 'text',
      type: 'email',
      label: 'helpEmail',
      wrong: 'emailMissing',
      autocomplete: 'off',
      maxlength: 320,
    },
    firstName: {
      kind: 'text',
      label: 'firstName',
      wrong: 'firstNameMissing',
      autocomplete: 'off',
      maxlength: 100,
    },
    lastName: {
      kind: 'text',
      label: 'lastName',
      wrong: 'lastNameMissing',
      autocomplete: 'off',
      maxlength: 100,
    },
    language: { kind: 'select', label: 'inviteLanguage' },
    clientIds: { kind: 'checkboxes', label: 'inviteClients', hint: 'inviteClientsHint', optional: true },
  },
  refusals: {
    NAME_CONFLICT: { field: 'emailAddress', text: 'inviteTaken' },
    TOO_MANY: { field: 'emailAddress', text: 'inviteTooMany' },
    GONE: { field: 'emailAddress', text: 'invitationChanged' },
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
