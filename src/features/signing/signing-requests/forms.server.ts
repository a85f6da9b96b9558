import { z } from 'zod';
import {
  FIELD_KINDS,
  IDENTITY_CHECKS,
  MAX_FIELDS,
  MAX_NAME,
  MAX_SIGNERS,
} from '#features/signing/signing/signing.ts';
import type { PrepareProblem } from '#features/documents/seals/preparing.server.ts';
import type { PortalError } from '#platform/runtime/errors.server.ts';
import { defineForm, UPCOMING_YEARS } from '#platform/forms/forms.server.ts';
import { emailAddress, line } from '#platform/inputs/line-schemas.ts';
import { date } from '#platform/inputs/schemas.server.ts';

const OTHER = 'other';
const ORDERS = Array.from({ length: MAX_SIGNERS }, (_, index) => String(index + 1));

/** Why a document cannot be signed, by the `cause` of NOT_POSSIBLE and LOCKED. */
const CAUSES = {
  signed: 'documentSigned',
  restricted: 'documentRestricted',
  xfa: 'documentXfa',
  'lost-values': 'documentLosesValues',
  'active-content': 'documentActive',
  'external-content': 'documentActive',
  undrawable: 'documentUndrawable',
} as const satisfies Record<PrepareProblem, string>;

type Details = PortalError['details'];

const causeText = ({ cause }: Details): (typeof CAUSES)[keyof typeof CAUSES] | undefined =>
  typeof cause === 'string' && cause in CAUSES ? CAUSES[cause as keyof typeof CAUSES] : undefined;

/** The names of fields in the texts about them. */
export const fieldNames = ({ fields }: Details): { fields: string } => ({
  fields: Array.isArray(fields) ? fields.map(String).join(', ') : '',
});

/** Why a document cannot be signed, chosen or uploaded. */
const DOCUMENT_PROBLEMS = {
  TYPE_NOT_ALLOWED: 'documentNoPdf',
  UNREADABLE: 'documentDamaged',
  EMPTY: 'documentDamaged',
  LOCKED: 'documentLocked',
  NOT_POSSIBLE: 'documentUndrawable',
  INFECTED: 'documentUnsafe',
  UNSCANNED: 'documentUnsafe',
  TOO_LARGE: 'documentLarge',
} as const;
const UPLOAD_PROBLEMS = {
  ...DOCUMENT_PROBLEMS,
  BAD_NAME: 'documentBadName',
  QUOTA: 'documentNoRoom',
  TOO_MANY: 'documentLater',
  TOO_MANY_FILES: 'documentOneFile',
} as const;

/** The text for a refused upload of a document to sign; undefined for a refusal that is no matter of the file. */
export const uploadProblem = ({ code, details }: PortalError) =>
  code in UPLOAD_PROBLEMS
    ? (causeText(details) ?? UPLOAD_PROBLEMS[code as keyof typeof UPLOAD_PROBLEMS])
    : undefined;

/** Starts a request: the document, and who signs it. */
export const requestForm = defineForm('signing', (message) => ({
  id: 'request',
  title: 'newTitle',
  problemTitle: 'requestProblem',
  submit: 'continue',
  schema: z.object({
    document: z.string().min(1, message('documentMissing')).max(60),
    title: z.string().trim().min(1, message('titleMissing')).max(200),
    signers: z
      .array(
        z
          .object({
            contact: z.string().max(60),
            name: line(MAX_NAME),
            email: emailAddress.or(z.literal('')),
            order: z.enum(ORDERS),
          })
          .superRefine(({ contact, name, email }, context) => {
            if (contact === OTHER && (name === '' || email === ''))
              context.addIssue({
                code: 'custom',
                path: [name === '' ? 'name' : 'email'],
                message: message('signerNameMissing').error,
              });
          }),
      )
      .min(1)
      .max(MAX_SIGNERS)
      .refine((signers) => signers.some(({ contact }) => contact !== ''), message('signersMissing')),
    identity: z.enum(IDENTITY_CHECKS),
    dueDate: date(),
  }),
  fields: {
    document: { kind: 'select', label: 'document', hint: 'documentHint', missing: 'documentMissing' },
    title: { kind: 'text', label: 'titleLabel', hint: 'titleHint', maxlength: 200 },
    signers: {
      kind: 'group',
      label: 'signers',
      hint: 'signersHint',
      max: MAX_SIGNERS,
      add: 'signerAdd',
      remove: 'signerRemove',
      fields: {
        contact: { kind: 'select', label: 'signerContact' },
        name: { kind: 'text', label: 'signerName', maxlength: MAX_NAME },
        email: {
          kind: 'text',
          label: 'signerEmail',
          type: 'email',
          maxlength: 254,
          wrong: 'signerNameMissing',
        },
        order: { kind: 'select', label: 'signerOrder' },
      },
    },
    identity: {
      kind: 'choices',
      label: 'identity',
      hint: 'identityHint',
      options: [
        ['none', 'check_none'],
        ['mail-code', 'check_mailCode'],
        ['totp', 'check_totp'],
      ],
    },
    dueDate: { kind: 'date', input: 'local', years: UPCOMING_YEARS, label: 'dueDate', optional: true },
  },
  refusals: {
    TYPE_NOT_ALLOWED: { field: 'document', text: DOCUMENT_PROBLEMS.TYPE_NOT_ALLOWED },
    UNREADABLE: { field: 'document', text: DOCUMENT_PROBLEMS.UNREADABLE },
    LOCKED: { field: 'document', text: (details) => causeText(details) ?? DOCUMENT_PROBLEMS.LOCKED },
    NOT_POSSIBLE: {
      field: 'document',
      text: (details) => causeText(details) ?? DOCUMENT_PROBLEMS.NOT_POSSIBLE,
      vars: fieldNames,
    },
    INFECTED: { field: 'document', text: DOCUMENT_PROBLEMS.INFECTED },
    UNSCANNED: { field: 'document', text: DOCUMENT_PROBLEMS.UNSCANNED },
    TOO_LARGE: { field: 'document', text: DOCUMENT_PROBLEMS.TOO_LARGE },
    NOT_FOUND: { field: 'document', text: 'documentMissing' },
    INVALID: {
      text: ({ field, twice }) =>
        field === 'identity' ? 'totpNeedsAccount' : twice ? 'signerTwice' : 'requestProblem',
    },
  },
}));
export type RequestValues = z.output<(typeof requestForm)['schema']>;
export { OTHER as OTHER_SIGNER, ORDERS };

/** A percentage with a dot or a comma. */
const percent = (wrong: { error: string }) =>
  z
    .string()
    .trim()
    .transform((text) => (text === '' ? 0 : Number(text.replace(',', '.'))))
    .refine((value) => value >= 0 && value <= 100, wrong);

/** The fields of a document as numbers, which needs no scripts. Rows without a kind are left out. */
export const fieldsForm = defineForm('signing', (message) => {
  const number = percent(message('fieldWrong'));
  return {
    id: 'fields',
    title: 'fields',
    problemTitle: 'fieldsProblem',
    submit: 'saveFields',
    schema: z.object({
      fields: z
        .array(
          z.object({
            kind: z.enum(FIELD_KINDS).or(z.literal('')),
            signer: z.string().max(3),
            page: z.string().regex(/^\d{0,4}$/u, message('fieldWrong')),
            x: number,
            y: number,
            width: number,
            height: number,
            required: z.boolean(),
          }),
        )
        .max(MAX_FIELDS),
    }),
    fields: {
      fields: {
        kind: 'group',
        label: 'fields',
        hint: 'fieldsHint',
        max: MAX_FIELDS,
        add: 'fieldAdd',
        remove: 'fieldRemove',
        fields: {
          kind: {
            kind: 'select',
            label: 'fieldKind',
            options: [['', 'kind_'], ...FIELD_KINDS.map((kind) => [kind, `kind_${kind}`] as const)],
          },
          signer: { kind: 'select', label: 'fieldSigner' },
          page: { kind: 'text', label: 'fieldPage', inputmode: 'numeric', maxlength: 4 },
          x: { kind: 'text', label: 'fieldX', inputmode: 'decimal', maxlength: 8, unit: '%' },
          y: { kind: 'text', label: 'fieldY', inputmode: 'decimal', maxlength: 8, unit: '%' },
          width: { kind: 'text', label: 'fieldWidth', inputmode: 'decimal', maxlength: 8, unit: '%' },
          height: { kind: 'text', label: 'fieldHeight', inputmode: 'decimal', maxlength: 8, unit: '%' },
          required: { kind: 'checkbox', label: 'fieldRequired' },
        },
      },
    },
    refusals: { INVALID: 'fieldWrong' },
  };
});
export type FieldsValues = z.output<(typeof fieldsForm)['schema']>;
