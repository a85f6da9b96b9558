import { defineForm } from '#platform/forms/forms.server.ts';
import { profileInput } from './profile.ts';

/** Name and language of a person; the language is chosen among those of the portal. */
export const profileForm = defineForm('shell', () => ({
  id: 'profile-form',
  title: 'profileTitle',
  problemTitle: 'profileErrorTitle',
  submit: 'save',
  busy: 'saving',
  schema: profileInput,
  fields: {
    prefix: {
      kind: 'text',
      label: 'prefix',
      wrong: 'nameWrong',
      optional: true,
      autocomplete: 'honorific-prefix',
      maxlength: 20,
    },
    firstName: {
      kind: 'text',
      label: 'firstName',
      missing: 'firstNameMissing',
      wrong: 'nameWrong',
      autocomplete: 'given-name',
      maxlength: 60,
    },
    middleName: {
      kind: 'text',
      label: 'middleName',
      wrong: 'nameWrong',
      optional: true,
      autocomplete: 'additional-name',
      maxlength: 60,
    },
    lastName: {
      kind: 'text',
      label: 'lastName',
      missing: 'lastNameMissing',
      wrong: 'nameWrong',
      autocomplete: 'family-name',
      maxlength: 60,
    },
    suffix: {
      kind: 'text',
      label: 'suffix',
      wrong: 'nameWrong',
      optional: true,
      autocomplete: 'honorific-suffix',
      maxlength: 20,
    },
    language: { kind: 'select', label: 'language', wrong: 'languageWrong' },
  },
  refusals: { INVALID: { field: 'language', text: 'languageWrong' } },
}));
