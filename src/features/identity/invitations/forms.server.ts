import { z } from 'zod';
import {
  emailField,
  newPasswordField,
  newPasswordRefusals,
  tooMany,
  type Details,
} from '#features/identity/credentials/forms.server.ts';
import { defineForm } from '#platform/forms/forms.server.ts';
import { ownerDetails } from './invitations.ts';

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
