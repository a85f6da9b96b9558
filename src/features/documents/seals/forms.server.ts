import { z } from 'zod';
import { defineForm } from '#platform/forms/forms.server.ts';
import { MAX_KEY_BYTES } from './keys.server.ts';

/** Loads a certificate with its key, to seal documents with. */
export const sealKeyForm = defineForm('seals', () => ({
  id: 'seal-key',
  title: 'loadTitle',
  problemTitle: 'loadProblem',
  submit: 'load',
  busy: 'loading',
  schema: z.object({
    file: z
      .array(z.instanceof(File))
      .refine((files) => files.length === 1 && files.every(({ size }) => size > 0 && size <= MAX_KEY_BYTES)),
    password: z.string().max(200),
  }),
  fields: {
    file: {
      kind: 'file',
      label: 'keyFile',
      hint: 'keyFileHint',
      wrong: 'keyFileMissing',
      accept: '.p12,.pfx',
    },
    password: {
      kind: 'password',
      label: 'keyPassword',
      optional: true,
      autocomplete: 'new-password',
      maxlength: 200,
    },
  },
  refusals: {
    CODE_WRONG: { field: 'password', text: 'keyPasswordWrong' },
    TYPE_NOT_ALLOWED: { field: 'file', text: 'keyFileWrong' },
    NOT_POSSIBLE: { field: 'file', text: 'keyUnsuitable' },
    EXPIRED: { field: 'file', text: 'keyNotValid' },
    TOO_MANY: 'loadLater',
  },
}));
