import { z } from 'zod';
import { ITEM_KINDS, MAX_ITEMS, ownItems } from '#features/tasks/tasks/own-questions.server.ts';
import { MAX_LABEL } from '#features/tasks/tasks/tasks.ts';
import { defineForm, UPCOMING_YEARS } from '#platform/forms/forms.server.ts';
import { date } from '#platform/inputs/schemas.server.ts';
import { EDITED_KINDS, linesOf, type EditedKind } from './editing.ts';

const KINDS = {
  text: 'kind_text',
  paragraph: 'kind_paragraph',
  yesNo: 'kind_yesNo',
  choice: 'kind_choice',
  choices: 'kind_choices',
  number: 'kind_number',
  money: 'kind_money',
  date: 'kind_date',
  phone: 'kind_phone',
  address: 'kind_address',
  files: 'kind_files',
  note: 'kind_note',
  clock: 'kind_clock',
  hours: 'kind_hours',
  lookup: 'kind_lookup',
  identifier: 'kind_identifier',
  group: 'kind_group',
} as const satisfies Record<EditedKind, string>;

const DUE_KINDS = ['none', 'days', 'yearly'] as const;

const dueFields = {
  dueKind: {
    kind: 'select',
    label: 'dueRule',
    options: [
      ['none', 'dueNone'],
      ['days', 'dueDays'],
      ['yearly', 'dueYearly'],
    ],
  },
  dueDays: { kind: 'text', label: 'dueDaysLabel', inputmode: 'numeric', maxlength: 3, optional: true },
  dueOn: {
    kind: 'date',
    input: 'local',
    years: UPCOMING_YEARS,
    label: 'dueOn',
    hint: 'dueOnHint',
    optional: true,
  },
} as const;

const dueValues = {
  dueKind: z.enum(DUE_KINDS),
  dueDays: z.string().trim(),
  dueOn: date(),
};

interface DueValues {
  dueKind: (typeof DUE_KINDS)[number];
  dueDays: string;
  dueOn: string;
}

/** The rule of the posted values; undefined if what it needs is missing. */
export function dueRuleOf({ dueKind, dueDays, dueOn }: DueValues): string | undefined {
  if (dueKind === 'none') return '';
  if (dueKind === 'days') return /^[1-9]\d{0,2}$/.test(dueDays) ? `+${dueDays}` : undefined;
  return dueOn === '' ? undefined : dueOn.slice(5);
}

/** The values that show a rule; the year of a day each year is this one. */
export const dueValuesOf = (rule: string, year: string): DueValues => ({
  dueKind: rule === '' ? 'none' : rule.startsWith('+') ? 'days' : 'yearly',
  dueDays: rule.startsWith('+') ? rule.slice(1) : '',
  dueOn: rule === '' || rule.startsWith('+') ? '' : `${year}-${rule === '02-29' ? '02-28' : rule}`,
});

/** A template with questions of one's own. */
export const newTemplateForm = defineForm('task-templates', (message) => ({
  id: 'new-template',
  title: 'newTemplate',
  problemTitle: 'notSaved',
  submit: 'createDraft',
  schema: z
    .object({
      name: z.string().trim().min(1, message('nameMissing')).max(MAX_LABEL),
      isReview: z.boolean(),
      message: z.string().trim().max(2000),
      items: ownItems,
      ...dueValues,
    })
    .superRefine(({ items, ...due }, context) => {
      if (items.every(({ label }) => label === ''))
        context.addIssue({ code: 'custom', path: ['items'], message: message('itemsMissing').error });
      if (dueRuleOf(due) === undefined)
        context.addIssue({
          code: 'custom',
          path: [due.dueKind === 'days' ? 'dueDays' : 'dueOn'],
          message: message('dueWrong').error,
        });
    }),
  fields: {
    name: { kind: 'text', label: 'name', hint: 'nameHint', maxlength: MAX_LABEL, autocomplete: 'off' },
    isReview: { kind: 'checkbox', label: 'isReview', hint: 'isReviewHint' },
    message: { kind: 'textarea', label: 'message', rows: 3, maxlength: 2000, optional: true },
    items: {
      kind: 'group',
      label: 'items',
      max: MAX_ITEMS,
      add: 'addQuestion',
      remove: 'remove',
      fields: {
        label: { kind: 'text', label: 'question', maxlength: 500 },
        kind: {
          kind: 'select',
          label: 'kind',
          options: ITEM_KINDS.map((kind) => [kind, KINDS[kind]] as const),
        },
        isRequired: { kind: 'checkbox', label: 'required' },
      },
    },
    ...dueFields,
  },
  refusals: { TOO_MANY: 'tooMany' },
}));

const position = (message: { error: string }) =>
  z
    .string()
    .trim()
    .regex(/^\d{1,4}(?:[.,]\d)?$|^$/, message)
    // without a number it comes last
    .transform((text) => (text === '' ? 10_000 : Number(text.replace(',', '.'))));

/** New rows that were left empty are ignored; others may lack the text of one language. */
export const isUsed = ({ key, label }: { key: string; label: string }): boolean => key !== '' || label !== '';

const conflict = { EDIT_CONFLICT: 'changedMeanwhile', CLOSED: 'isArchived', INVALID: 'notValid' } as const;

/** The name of a template and when its tasks are due. */
export const detailsForm = defineForm('task-templates', (message) => ({
  id: 'details',
  title: 'details',
  problemTitle: 'notSaved',
  submit: 'save',
  schema: z
    .object({
      revision: z.coerce.number(),
      name: z.string().trim().min(1, message('nameMissing')).max(MAX_LABEL),
      ...dueValues,
    })
    .superRefine((due, context) => {
      if (dueRuleOf(due) === undefined)
        context.addIssue({
          code: 'custom',
          path: [due.dueKind === 'days' ? 'dueDays' : 'dueOn'],
          message: message('dueWrong').error,
        });
    }),
  fields: {
    revision: { kind: 'hidden' },
    name: { kind: 'text', label: 'name', hint: 'nameHint', maxlength: MAX_LABEL, autocomplete: 'off' },
    ...dueFields,
  },
  refusals: conflict,
}));

const MAX_SECTIONS = 60;

/** The sections of a questionnaire: their titles and order. */
export const sectionsForm = defineForm('task-templates', (message) => ({
  id: 'sections',
  title: 'sections',
  problemTitle: 'notSaved',
  submit: 'save',
  schema: z
    .object({
      revision: z.coerce.number(),
      sections: z
        .array(
          z.object({
            key: z.string().max(40),
            position: position(message('positionWrong')),
            label: z.string().trim().max(2000),
          }),
        )
        .max(MAX_SECTIONS),
    })
    .superRefine(({ sections }, context) => {
      if (!sections.some(isUsed))
        context.addIssue({ code: 'custom', path: ['sections'], message: message('sectionMissing').error });
    }),
  fields: {
    revision: { kind: 'hidden' },
    sections: {
      kind: 'group',
      label: 'sections',
      hint: 'sectionsHint',
      max: MAX_SECTIONS,
      add: 'addSection',
      remove: 'remove',
      fields: {
        key: { kind: 'hidden' },
        position: { kind: 'text', label: 'position', inputmode: 'decimal', maxlength: 6 },
        label: { kind: 'text', label: 'sectionTitle', maxlength: 2000 },
      },
    },
  },
  refusals: conflict,
}));

const MAX_QUESTIONS = 80;

/** One section of a questionnaire: its texts and questions. */
export const questionsForm = defineForm('task-templates', (message) => ({
  id: 'questions',
  title: 'questions',
  problemTitle: 'notSaved',
  submit: 'save',
  schema: z
    .object({
      revision: z.coerce.number(),
      title: z.string().trim().min(1, message('titleMissing')).max(2000),
      lead: z.string().trim().max(2000),
      questions: z
        .array(
          z.object({
            key: z.string().max(40),
            position: position(message('positionWrong')),
            label: z.string().trim().max(2000),
            kind: z.enum(EDITED_KINDS),
            isRequired: z.boolean(),
            hint: z.string().trim().max(2000),
            choices: z.string().max(20_000),
          }),
        )
        .max(MAX_QUESTIONS),
    })
    .superRefine(({ questions }, context) => {
      if (!questions.some(isUsed))
        context.addIssue({ code: 'custom', path: ['questions'], message: message('itemsMissing').error });
      for (const [at, { key, kind, choices, label }] of questions.entries())
        if (
          isUsed({ key, label }) &&
          (kind === 'choice' || kind === 'choices') &&
          linesOf(choices).length < 2
        )
          context.addIssue({
            code: 'custom',
            path: ['questions', at, 'choices'],
            message: message('choicesMissing').error,
          });
    }),
  fields: {
    revision: { kind: 'hidden' },
    title: { kind: 'text', label: 'sectionTitle', maxlength: 2000 },
    lead: { kind: 'textarea', label: 'lead', rows: 2, maxlength: 2000, optional: true },
    questions: {
      kind: 'group',
      label: 'questions',
      hint: 'questionsHint',
      max: MAX_QUESTIONS,
      add: 'addQuestion',
      remove: 'remove',
      fields: {
        key: { kind: 'hidden' },
        position: { kind: 'text', label: 'position', inputmode: 'decimal', maxlength: 6 },
        label: { kind: 'text', label: 'question', maxlength: 2000 },
        kind: {
          kind: 'select',
          label: 'kind',
          options: EDITED_KINDS.map((kind) => [kind, KINDS[kind]] as const),
        },
        isRequired: { kind: 'checkbox', label: 'required' },
        hint: { kind: 'text', label: 'hint', maxlength: 2000, optional: true },
        choices: { kind: 'textarea', label: 'choices', hint: 'choicesHint', rows: 3, optional: true },
      },
    },
  },
  refusals: conflict,
}));
