import { z } from 'zod';
import { MAX_AGENCIES } from '#features/brazil/clearance-certificates/clearance-certificates.ts';
import { defineForm } from '#platform/forms/forms.server.ts';
import { line } from '#platform/inputs/line-schemas.ts';
import { date } from '#platform/inputs/schemas.server.ts';
import { MAX_RECIPIENT } from './clearance-passport.ts';

/** Makes a passport; the page supplies the agencies that are followed. */
export const passportForm = defineForm('clearance-passport', () => ({
  id: 'passport',
  title: 'makeTitle',
  problemTitle: 'notMade',
  submit: 'make',
  schema: z.object({
    recipient: line(MAX_RECIPIENT).min(1),
    agencyIds: z.array(z.string().max(20)).min(1).max(MAX_AGENCIES),
    endsOn: date().min(1),
  }),
  fields: {
    recipient: {
      kind: 'text',
      label: 'recipient',
      hint: 'recipientHint',
      missing: 'recipientMissing',
      wrong: 'recipientWrong',
      maxlength: MAX_RECIPIENT,
      autocomplete: 'off',
    },
    agencyIds: {
      kind: 'checkboxes',
      label: 'agencies',
      missing: 'agenciesMissing',
      wrong: 'agenciesMissing',
    },
    endsOn: {
      kind: 'date',
      input: 'local',
      years: { before: 0, after: 1 },
      label: 'endsOn',
      hint: 'endsOnHint',
      missing: 'endsOnWrong',
    },
  },
  refusals: {
    INVALID: {
      field: ({ field }) => (field === 'endsOn' ? 'endsOn' : 'agencyIds'),
      text: ({ field }) => (field === 'endsOn' ? 'endsOnWrong' : 'agenciesMissing'),
    },
    GONE: 'clientArchived',
    DOMAIN_NOT_ALLOWED: 'restricted',
    TOO_MANY: 'tooMany',
  },
}));

/** Revokes a passport. */
export const revokeForm = defineForm('clearance-passport', () => ({
  id: 'revoke',
  title: 'revokeTitle',
  problemTitle: 'notRevoked',
  submit: 'revoke',
  schema: z.object({}),
  fields: {},
}));
