import { z } from 'zod';
import { emailAddress, name } from '#platform/inputs/line-schemas.ts';
import { STAFF_ROLES } from '#features/base/people/people.ts';
import { defineForm } from '#platform/forms/forms.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { personName } from './directory.ts';

const nameFields = {
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
} as const;
const emailField = {
  kind: 'text',
  type: 'email',
  label: 'email',
  wrong: 'emailMissing',
  autocomplete: 'off',
  maxlength: 320,
} as const;
const scopeField = {
  kind: 'choices',
  label: 'clientsOfStaff',
  options: [
    ['all', 'allClients'],
    ['assigned', 'assignedClients'],
  ],
} as const;
const scope = z.enum(['all', 'assigned']);

/** Adds a contact, or with a role a member of staff. */
export const newPersonForm = defineForm('directory', () => ({
  id: 'person',
  title: 'newTitle',
  problemTitle: 'problemTitle',
  submit: 'save',
  schema: z.strictObject({
    ...personName.shape,
    emailAddress,
    language: z.enum(LANGS),
    role: z.enum(['contact', ...STAFF_ROLES]),
    scope,
    codes: z.string().max(10_000),
    send: z.boolean(),
  }),
  fields: {
    ...nameFields,
    emailAddress: emailField,
    language: { kind: 'select', label: 'language' },
    role: { kind: 'select', label: 'role', hint: 'roleHint' },
    scope: scopeField,
    codes: {
      kind: 'text',
      label: 'codes',
      hint: 'codesHint',
      optional: true,
      autocomplete: 'off',
      choosesClients: true,
    },
    send: { kind: 'checkbox', label: 'sendNow' },
  },
  refusals: {
    NAME_CONFLICT: { field: 'emailAddress', text: 'taken' },
    NOT_FOUND: {
      field: 'codes',
      text: 'codeUnknown',
      vars: ({ code }) => ({ code: String(code) }),
    },
    INVALID: { field: 'codes', text: 'codesMissing' },
    TOO_MANY: { field: 'emailAddress', text: 'tooMany' },
    FORBIDDEN: { field: 'role', text: 'notAllowed' },
  },
}));

export const nameForm = defineForm('directory', () => ({
  id: 'name',
  title: 'data',
  problemTitle: 'problemTitle',
  submit: 'save',
  schema: z.strictObject({ firstName: name, lastName: name }),
  fields: nameFields,
}));

export const roleForm = defineForm('directory', () => ({
  id: 'role',
  title: 'roleTitle',
  problemTitle: 'problemTitle',
  submit: 'save',
  schema: z.strictObject({ role: z.enum(STAFF_ROLES), scope }),
  fields: { role: { kind: 'select', label: 'role', hint: 'roleHint' }, scope: scopeField },
  refusals: {
    LAST_OWNER: { field: 'role', text: 'lastOwner' },
    FORBIDDEN: { field: 'role', text: 'notAllowed' },
  },
}));

export const emailForm = defineForm('directory', () => ({
  id: 'email',
  title: 'changeEmail',
  problemTitle: 'problemTitle',
  submit: 'emailSubmit',
  schema: z.strictObject({ emailAddress }),
  fields: { emailAddress: emailField },
  refusals: {
    TOO_MANY: { field: 'emailAddress', text: 'tooMany' },
    FORBIDDEN: { field: 'emailAddress', text: 'emailElsewhere' },
  },
}));

/** Confirms a new email address. */
export const confirmEmailForm = defineForm('directory', () => ({
  id: 'confirm',
  title: 'confirmEmailTitle',
  problemTitle: 'problemTitle',
  submit: 'confirmEmailSubmit',
  schema: z.strictObject({}),
  fields: {},
  refusals: { GONE: { text: 'emailOver' } },
}));

export const suspendForm = defineForm('directory', () => ({
  id: 'suspend',
  title: 'suspendTitle',
  problemTitle: 'problemTitle',
  submit: 'suspend',
  schema: z.strictObject({}),
  fields: {},
  refusals: { LAST_OWNER: { text: 'lastOwner' }, FORBIDDEN: { text: 'notAllowed' } },
}));

/** The same for several people. */
export const suspendManyForm = defineForm('directory', () => ({
  id: 'suspendMany',
  title: 'suspendManyTitle',
  problemTitle: 'problemTitle',
  submit: 'suspend',
  schema: z.strictObject({}),
  fields: {},
  refusals: { LAST_OWNER: { text: 'lastOwner' }, FORBIDDEN: { text: 'notAllowed' } },
}));

/** Removes a person. The clients of staff go to someone else. */
export const removeForm = defineForm('directory', () => ({
  id: 'remove',
  title: 'removeTitle',
  problemTitle: 'problemTitle',
  submit: 'removeSubmit',
  schema: z.strictObject({ successorId: z.string().max(60) }),
  fields: { successorId: { kind: 'select', label: 'successor' } },
  refusals: {
    LAST_OWNER: { text: 'lastOwner' },
    FORBIDDEN: { text: 'notAllowed' },
    INVALID: { field: 'successorId', text: 'successorMissing' },
  },
}));

/** The same for someone without assigned clients. */
export const removeAloneForm = defineForm('directory', () => ({
  id: 'remove',
  title: 'removeTitle',
  problemTitle: 'problemTitle',
  submit: 'removeSubmit',
  schema: z.strictObject({}),
  fields: {},
  refusals: { LAST_OWNER: { text: 'lastOwner' }, FORBIDDEN: { text: 'notAllowed' } },
}));

const MAX_LIST = 400_000;

export const inviteManyForm = defineForm('directory', (message) => ({
  id: 'many',
  title: 'manyTitle',
  problemTitle: 'problemTitle',
  submit: 'manySubmit',
  schema: z.strictObject({
    people: z.string().trim().min(1, message('peopleMissing')).max(MAX_LIST, message('peopleTooMany')),
    language: z.enum(LANGS),
  }),
  fields: {
    people: { kind: 'textarea', label: 'people', hint: 'peopleHint', rows: 12 },
    language: { kind: 'select', label: 'language' },
  },
  refusals: {
    TOO_LARGE: { field: 'people', text: 'peopleTooMany' },
    TOO_MANY: { field: 'people', text: 'tooMany' },
  },
}));
