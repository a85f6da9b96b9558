import { z } from 'zod';
import { defineForm } from '#platform/forms/forms.server.ts';
import { withMask } from '#platform/inputs/masks.ts';
import { CERTIFICATE_PROBLEMS, type CertificateProblem } from './certificates.server.ts';
import { MAX_CERTIFICATE_BYTES } from './limits.ts';

const PROBLEM_TEXTS = {
  noNumber: 'problemNoNumber',
  otherCompany: 'problemOtherCompany',
  otherPerson: 'problemOtherPerson',
  clientWithoutNumber: 'problemClientWithoutNumber',
  weakKey: 'problemWeakKey',
} as const satisfies Record<CertificateProblem, string>;

/** Stores the certificate of a client. */
export const certificateForm = defineForm('digital-certificates', () => ({
  id: 'digital-certificate',
  title: 'storeTitle',
  problemTitle: 'notStored',
  submit: 'store',
  busy: 'storing',
  schema: z.object({
    file: z
      .array(z.instanceof(File))
      .refine(
        (files) => files.length === 1 && files.every(({ size }) => size > 0 && size <= MAX_CERTIFICATE_BYTES),
      ),
    password: z.string().min(1).max(200),
  }),
  fields: {
    file: { kind: 'file', label: 'file', hint: 'fileHint', wrong: 'fileMissing', accept: '.p12,.pfx' },
    password: {
      kind: 'password',
      label: 'password',
      hint: 'passwordHint',
      missing: 'passwordMissing',
      wrong: 'passwordMissing',
      autocomplete: 'new-password',
      maxlength: 200,
    },
  },
  refusals: {
    CODE_WRONG: { field: 'password', text: 'passwordWrong' },
    TYPE_NOT_ALLOWED: { field: 'file', text: 'fileWrong' },
    EXPIRED: { field: 'file', text: 'notValid' },
    NOT_POSSIBLE: {
      field: 'file',
      text: ({ problem }) =>
        PROBLEM_TEXTS[CERTIFICATE_PROBLEMS.find((known) => known === problem) ?? 'noNumber'],
      vars: ({ cnpj }) => ({ cnpj: withMask('cnpj', String(cnpj ?? '')) }),
    },
    GONE: 'clientArchived',
    TOO_MANY: 'storeLater',
  },
}));
