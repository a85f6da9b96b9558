import { z } from 'zod';
import { defineForm } from '#platform/forms/forms.server.ts';
import { address, taxIdWithKind } from '#platform/inputs/schemas.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { clientInput, MAX_CODE, MAX_NAME, MAX_TAG, MAX_TAGS } from './client-records.ts';

/** The nickname of a client. */
export const nicknameForm = defineForm('clients', () => ({
  id: 'nickname-form',
  title: 'nicknameTitle',
  problemTitle: 'errorTitle',
  submit: 'nicknameSave',
  schema: z.object({ client: z.string(), nickname: z.string() }),
  fields: {
    client: { kind: 'hidden', label: 'nickname' },
    nickname: { kind: 'text', label: 'nickname', hint: 'nicknameHint', optional: true, autocomplete: 'off' },
  },
  refusals: { INVALID: { field: 'nickname', text: 'nicknameWrong' } },
}));

const { name, code, kind, doingBusinessAs } = clientInput.shape;
const MONTHS = Array.from({ length: 12 }, (_, index) => String(index + 1).padStart(2, '0'));

/** The data of a client. What was typed in several fields, the page puts together with `inputOf`. */
export const clientForm = defineForm('records', (message) => ({
  id: 'client',
  title: 'newTitle',
  problemTitle: 'formProblem',
  submit: 'save',
  schema: z.object({
    version: z.coerce.number().int().catch(0),
    name,
    kind: kind.unwrap(),
    code: code.unwrap(),
    doingBusinessAs: doingBusinessAs.unwrap(),
    tags: z
      .string()
      .refine(
        (text) => tagsIn(text).length <= MAX_TAGS && tagsIn(text).every((tag) => tag.length <= MAX_TAG),
      ),
    responsible: z.array(z.string().max(60)).max(10),
    taxIds: z
      .array(taxIdWithKind)
      .transform((rows) => rows.filter(({ number }) => number !== ''))
      .refine((rows) => new Set(rows.map((row) => row.kind)).size === rows.length, message('taxIdsTwice')),
    yearEndMonth: z.enum(['', ...MONTHS]),
    yearEndDay: z
      .string()
      .trim()
      .regex(/^(?:\d{1,2})?$/),
    language: z.enum(['', ...LANGS]),
    address: address({ isPartial: true }),
  }),
  fields: {
    version: { kind: 'hidden' },
    name: {
      kind: 'text',
      label: 'name',
      missing: 'nameMissing',
      wrong: 'nameMissing',
      maxlength: MAX_NAME,
      autocomplete: 'off',
    },
    kind: {
      kind: 'choices',
      label: 'kind',
      missing: 'kindMissing',
      wrong: 'kindMissing',
      options: [
        ['business', 'business'],
        ['individual', 'individual'],
      ],
    },
    code: {
      kind: 'text',
      label: 'code',
      hint: 'codeHint',
      wrong: 'lineWrong',
      optional: true,
      maxlength: MAX_CODE,
      autocomplete: 'off',
    },
    doingBusinessAs: {
      kind: 'text',
      label: 'tradeName',
      hint: 'tradeNameHint',
      wrong: 'lineWrong',
      optional: true,
      maxlength: MAX_NAME,
      autocomplete: 'off',
    },
    tags: {
      kind: 'text',
      label: 'tags',
      hint: 'tagsHint',
      wrong: 'tagsWrong',
      optional: true,
      autocomplete: 'off',
      vars: { max: MAX_TAGS, length: MAX_TAG },
    },
    responsible: {
      kind: 'checkboxes',
      label: 'responsible',
      hint: 'responsibleHint',
      wrong: 'responsibleWrong',
      optional: true,
    },
    taxIds: {
      kind: 'group',
      label: 'taxIds',
      hint: 'taxIdsHint',
      optional: true,
      max: 11,
      add: 'addTaxId',
      remove: 'removeTaxId',
      fields: {
        kind: { kind: 'select', label: 'taxIdKind' },
        number: { kind: 'text', label: 'taxIdNumber', maskBy: 'kind', maxlength: 40, autocomplete: 'off' },
      },
    },
    yearEndMonth: {
      kind: 'select',
      label: 'yearEndMonth',
      hint: 'yearEndHint',
      wrong: 'yearEndWrong',
      optional: true,
    },
    yearEndDay: {
      kind: 'text',
      label: 'yearEndDay',
      wrong: 'yearEndWrong',
      optional: true,
      inputmode: 'numeric',
      maxlength: 2,
      autocomplete: 'off',
    },
    language: { kind: 'select', label: 'language', hint: 'languageHint', optional: true },
    address: { kind: 'address', label: 'address', optional: true },
  },
  refusals: {
    NAME_CONFLICT: { field: 'code', text: 'codeTaken' },
    POSSIBLE_DUPLICATE: {
      field: ({ field }) => (field === 'taxIds' ? 'taxIds' : 'code'),
      text: ({ field, duplicates }) => {
        const isSeen = Array.isArray(duplicates) && duplicates.length > 0;
        if (field === 'taxIds') return isSeen ? 'duplicateTaxId' : 'duplicateTaxIdHidden';
        return isSeen ? 'duplicateNumber' : 'duplicateNumberHidden';
      },
      vars: ({ duplicates, ask }) => ({
        client: clientTitle(duplicates),
        people: Array.isArray(ask) ? ask.join(', ') : '',
      }),
      link: 'duplicateLink',
    },
    EDIT_CONFLICT: { text: 'editConflict', link: 'editConflictLink' },
    GONE: 'wasMerged',
    // what the form does not check itself
    INVALID: {
      field: ({ problems }) => fieldOf(problems),
      text: ({ problems }) => PROBLEM_TEXTS[fieldOf(problems)],
    },
  },
}));

/** The number and the name of the first client that a refusal names. */
function clientTitle(duplicates: unknown): string {
  const [first] = z
    .array(z.object({ code: z.string(), name: z.string() }))
    .catch([])
    .parse(duplicates);
  return [first?.code, first?.name].filter(Boolean).join(' · ');
}

const PROBLEM_TEXTS = {
  address: 'lineWrong',
  responsible: 'responsibleWrong',
  yearEndDay: 'yearEndWrong',
} as const;

/** The field of the form with the first problem that only the verb finds. */
function fieldOf(problems: unknown): keyof typeof PROBLEM_TEXTS {
  const text = JSON.stringify(problems ?? '');
  if (text.includes('"address.')) return 'address';
  return text.includes('"responsible"') ? 'responsible' : 'yearEndDay';
}

/** The tags of a text, which separates them by commas. */
export const tagsIn = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
