import { z } from 'zod';
import { CITIES, resolveCity } from '#features/brazil/establishments/cities.server.ts';
import { defineForm, type Field } from '#platform/forms/forms.server.ts';
import { date } from '#platform/inputs/schemas.server.ts';
import { line } from '#platform/inputs/line-schemas.ts';
import type { KeysOf } from '#platform/text/translations.server.ts';
import { agencyOf, cityAgency } from './agencies.ts';
import { MAX_NOTE, MAX_NUMBER, MAX_PDFS, NOTED } from './clearance-certificates.ts';
import { filingProblemOf, type FilingProblem } from './filing.server.ts';
import { MAX_RENEW_DAYS, RESULTS } from './lights.ts';
import { RESULT_TEXTS, STATUS_TEXTS } from './texts.ts';

const MAX_CITY = 80;
const YEARS_OF_VALIDITY = { before: 10, after: 2 };

const renewBeforeDays = {
  kind: 'text',
  label: 'renewBeforeDays',
  hint: 'renewBeforeDaysHint',
  missing: 'renewBeforeDaysWrong',
  wrong: 'renewBeforeDaysWrong',
  inputmode: 'numeric',
  maxlength: 2,
  autocomplete: 'off',
} as const satisfies Field<KeysOf<'clearance-certificates'>>;
const notifiesClient = {
  kind: 'checkbox',
  label: 'notifiesClient',
} as const satisfies Field<KeysOf<'clearance-certificates'>>;
const following = {
  renewBeforeDays: z
    .string()
    .trim()
    .regex(/^\d{1,2}$/)
    .transform(Number)
    .pipe(z.number().min(1).max(MAX_RENEW_DAYS)),
  notifiesClient: z.boolean(),
};

/** Follows an agency for a client; `agencyId` of the result is that of the city where a city hall is chosen. */
export const followForm = defineForm('clearance-certificates', (message) => ({
  id: 'follow',
  title: 'followTitle',
  problemTitle: 'notSaved',
  submit: 'follow',
  schema: z
    .object({ agency: z.string().max(20), city: z.string().trim().max(MAX_CITY), ...following })
    .transform(({ agency, city, ...rest }, context) => {
      if (agency !== 'city') {
        if (agencyOf(agency)) return { ...rest, agencyId: agency };
        context.addIssue({ code: 'custom', path: ['agency'], message: message('agencyWrong').error });
        return z.NEVER;
      }
      const found = resolveCity(city);
      if (found.city !== undefined) return { ...rest, agencyId: cityAgency(found.city) };
      const { problem, cities } = found;
      context.addIssue({
        code: 'custom',
        path: ['city'],
        message: message(problem).error,
        params: { vars: { cities } },
      });
      return z.NEVER;
    }),
  fields: {
    agency: { kind: 'select', label: 'agency', wrong: 'agencyWrong' },
    city: {
      kind: 'text',
      label: 'city',
      hint: 'cityHint',
      optional: true,
      maxlength: MAX_CITY,
      autocomplete: 'off',
      lookup: CITIES,
    },
    renewBeforeDays,
    notifiesClient,
  },
  refusals: {
    NAME_CONFLICT: { field: 'agency', text: 'followedAlready' },
    TOO_MANY: { text: 'tooManyAgencies', vars: ({ most }) => ({ most: Number(most) }) },
    GONE: 'clientArchived',
  },
}));

/** When the certificates of an agency should be renewed, and whether the client is told. */
export const followingForm = defineForm('clearance-certificates', () => ({
  id: 'following',
  title: 'settingsTitle',
  problemTitle: 'notSaved',
  submit: 'save',
  schema: z.object(following),
  fields: { renewBeforeDays, notifiesClient },
}));

const PROBLEM_FIELDS = {
  otherClient: 'file',
  severalClients: 'file',
  clientWithoutNumber: 'file',
  unchecked: 'isChecked',
  otherAgency: 'file',
  noResult: 'result',
  noValidity: 'validUntil',
  validityWrong: 'validUntil',
  notIssuedYet: 'issuedOn',
  agencyUnknown: 'file',
  clientUnknown: 'file',
} as const satisfies Record<FilingProblem, string>;

/** What is wrong with a certificate, by its problem. */
export const PROBLEM_TEXTS = {
  otherClient: 'problem_otherClient',
  severalClients: 'problem_severalClients',
  clientWithoutNumber: 'problem_clientWithoutNumber',
  unchecked: 'problem_unchecked',
  otherAgency: 'problem_otherAgency',
  noResult: 'problem_noResult',
  noValidity: 'problem_noValidity',
  validityWrong: 'problem_validityWrong',
  notIssuedYet: 'problem_notIssuedYet',
  agencyUnknown: 'problem_agencyUnknown',
  clientUnknown: 'problem_clientUnknown',
} as const satisfies Record<FilingProblem, string>;

const onePdf = z.array(z.instanceof(File)).refine((files) => files.length === 1 && (files[0]?.size ?? 0) > 0);
const day = date({ max: '2100-12-31' });

/** Files a certificate of an agency; what is left empty is read from the PDF. */
export const certificateForm = defineForm('clearance-certificates', () => ({
  id: 'certificate',
  title: 'certificateTitle',
  problemTitle: 'notFiled',
  submit: 'fileIt',
  busy: 'reading',
  schema: z.object({
    file: onePdf,
    result: z.enum(['', ...RESULTS]),
    validUntil: day,
    issuedOn: day,
    number: line(MAX_NUMBER),
    note: z.string().trim().max(MAX_NOTE),
    isChecked: z.boolean(),
  }),
  fields: {
    file: { kind: 'file', label: 'pdf', hint: 'pdfHint', wrong: 'pdfMissing', accept: '.pdf' },
    result: {
      kind: 'select',
      label: 'result',
      options: [['', 'asInPdf'], ...RESULTS.map((result) => [result, RESULT_TEXTS[result]] as const)],
    },
    validUntil: {
      kind: 'date',
      input: 'local',
      years: YEARS_OF_VALIDITY,
      label: 'validUntil',
      hint: 'emptyIfInPdf',
      optional: true,
    },
    issuedOn: {
      kind: 'date',
      input: 'local',
      years: YEARS_OF_VALIDITY,
      label: 'issuedOn',
      hint: 'emptyIfInPdf',
      optional: true,
    },
    number: {
      kind: 'text',
      label: 'number',
      hint: 'emptyIfInPdf',
      wrong: 'lineWrong',
      optional: true,
      maxlength: MAX_NUMBER,
      autocomplete: 'off',
    },
    note: { kind: 'textarea', label: 'note', hint: 'noteHint', optional: true, rows: 2, maxlength: MAX_NOTE },
    isChecked: { kind: 'checkbox', label: 'isChecked' },
  },
  refusals: {
    INVALID: {
      field: (details) => PROBLEM_FIELDS[filingProblemOf(details) ?? 'noResult'],
      text: (details) => PROBLEM_TEXTS[filingProblemOf(details) ?? 'noResult'],
      vars: ({ number, own }) => ({ number: String(number ?? ''), own: String(own ?? '') }),
    },
    TYPE_NOT_ALLOWED: { field: 'file', text: 'pdfWrong' },
    QUOTA: { field: 'file', text: 'noRoom' },
    TOO_MANY: { field: 'file', text: 'tooManyUploads' },
    GONE: 'clientArchived',
  },
}));

/** Files several certificates, each with the client whose CNPJ or CPF is in it. */
export const certificatesForm = defineForm('clearance-certificates', () => ({
  id: 'certificates',
  title: 'manyTitle',
  problemTitle: 'notFiled',
  submit: 'fileThem',
  busy: 'reading',
  schema: z.object({
    files: z.array(z.instanceof(File)).refine((files) => files.length > 0 && files.length <= MAX_PDFS),
  }),
  fields: {
    files: {
      kind: 'file',
      label: 'pdfs',
      hint: 'pdfsHint',
      wrong: 'pdfsMissing',
      vars: { most: MAX_PDFS },
      accept: '.pdf',
      multiple: true,
    },
  },
}));

/** Notes what an agency answered. */
export const answerForm = defineForm('clearance-certificates', () => ({
  id: 'answer',
  title: 'answerTitle',
  problemTitle: 'notSaved',
  submit: 'noteIt',
  schema: z.object({ status: z.enum(NOTED), note: z.string().trim().max(MAX_NOTE) }),
  fields: {
    status: {
      kind: 'select',
      label: 'status',
      options: NOTED.map((status) => [status, STATUS_TEXTS[status]] as const),
    },
    note: { kind: 'textarea', label: 'note', hint: 'noteHint', optional: true, rows: 2, maxlength: MAX_NOTE },
  },
}));
