import { z } from 'zod';
import { CATEGORIES, END_REASONS, LEAVE_REASONS } from '#features/brazil/labor-rules/esocial-tables.ts';
import { defineForm } from '#platform/forms/forms.server.ts';
import type { Choice } from '#platform/forms/forms.ts';
import { date, decimal, hours, taxId } from '#platform/inputs/schemas.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import {
  employeeInput,
  MAX_NAME,
  MAX_POSITION,
  MAX_REGISTRATION,
  problemList,
  SALARY_UNITS,
  type Employee,
} from './employees.ts';

const { name, registration, position, category, cbo, endReason } = employeeInput.shape;
const day = () => date({ min: '1900-01-01', max: '2099-12-31' });
const PAST = { before: 60, after: 1 };
const AROUND = { before: 5, after: 5 };
const MAX_ROWS = 40;

const number = (max: number) =>
  z
    .string()
    .trim()
    .regex(/^\d{0,3}$/)
    .transform(Number)
    .pipe(z.number().max(max));

/** An employee of a client, with the years of vacation and the leaves. Rows without a day are left out. */
export const employeeForm = defineForm('employees', (message) => ({
  id: 'employee',
  title: 'formTitle',
  problemTitle: 'notSaved',
  submit: 'save',
  schema: z.object({
    version: z.coerce.number().int().catch(0),
    name,
    cpf: taxId('cpf').pipe(z.string().min(1)),
    registration: registration.unwrap(),
    category: category.unwrap(),
    hiredOn: day().min(1),
    position: position.unwrap(),
    cbo: z
      .string()
      .overwrite((text) => text.replaceAll(/[\s.-]/g, ''))
      .pipe(cbo.unwrap()),
    salary: decimal().transform((amount) => (amount === undefined ? null : Math.round(amount * 100))),
    salaryUnit: z.enum(SALARY_UNITS),
    weeklyHours: hours().transform((minutes) => minutes ?? null),
    bornOn: day(),
    establishmentId: z.string().max(60),
    contractEndsOn: day(),
    trialEndsOn: day(),
    vacationPeriods: z
      .array(
        z.object({ startsOn: day(), absences: number(366), takenDays: number(60), soldDays: number(10) }),
      )
      .max(MAX_ROWS)
      .transform((rows) => rows.filter(({ startsOn }) => startsOn !== '')),
    leaves: z
      .array(z.object({ startsOn: day(), endsOn: day(), reason: z.string() }))
      .max(MAX_ROWS)
      .transform((rows) => rows.filter(({ startsOn }) => startsOn !== ''))
      .superRefine((rows, context) => {
        for (const [at, { reason }] of rows.entries())
          if (!Object.hasOwn(LEAVE_REASONS, reason))
            context.addIssue({
              code: 'custom',
              path: [at, 'reason'],
              message: message('leaveReasonMissing').error,
            });
      }),
    endedOn: day(),
    endReason: endReason.unwrap(),
  }),
  fields: {
    version: { kind: 'hidden' },
    name: {
      kind: 'text',
      label: 'field_employeeName',
      hint: 'nameHint',
      missing: 'nameMissing',
      wrong: 'lineWrong',
      maxlength: MAX_NAME,
      autocomplete: 'off',
    },
    cpf: { kind: 'text', label: 'field_cpf', mask: 'cpf', missing: 'cpfMissing', autocomplete: 'off' },
    registration: {
      kind: 'text',
      label: 'field_registration',
      hint: 'registrationHint',
      wrong: 'registrationWrong',
      optional: true,
      maxlength: MAX_REGISTRATION,
      autocomplete: 'off',
    },
    category: { kind: 'select', label: 'field_category', wrong: 'categoryMissing' },
    hiredOn: {
      kind: 'date',
      input: 'local',
      label: 'field_hiredOn',
      missing: 'hiredOnMissing',
      years: PAST,
    },
    position: {
      kind: 'text',
      label: 'field_position',
      wrong: 'lineWrong',
      optional: true,
      maxlength: MAX_POSITION,
      autocomplete: 'off',
    },
    cbo: {
      kind: 'text',
      label: 'field_cbo',
      hint: 'cboHint',
      wrong: 'cboWrong',
      optional: true,
      inputmode: 'numeric',
      maxlength: 8,
      autocomplete: 'off',
    },
    salary: { kind: 'money', currency: 'BRL', label: 'field_salary', optional: true },
    salaryUnit: {
      kind: 'select',
      label: 'field_salaryUnit',
      options: SALARY_UNITS.map((unit) => [unit, `unit_${unit}`] as const),
    },
    weeklyHours: {
      kind: 'text',
      label: 'field_weeklyHours',
      hint: 'weeklyHoursHint',
      mask: 'hours',
      optional: true,
      autocomplete: 'off',
    },
    bornOn: {
      kind: 'date',
      input: 'local',
      label: 'field_bornOn',
      optional: true,
      years: { before: 90, after: 0 },
    },
    establishmentId: { kind: 'select', label: 'field_establishment', optional: true },
    contractEndsOn: {
      kind: 'date',
      input: 'local',
      label: 'contractEndsOn',
      hint: 'contractEndsOnHint',
      optional: true,
      years: AROUND,
    },
    trialEndsOn: { kind: 'date', input: 'local', label: 'trialEndsOn', optional: true, years: AROUND },
    vacationPeriods: {
      kind: 'group',
      label: 'vacationPeriods',
      hint: 'vacationPeriodsHint',
      optional: true,
      max: MAX_ROWS,
      add: 'addPeriod',
      remove: 'removePeriod',
      fields: {
        startsOn: {
          kind: 'date',
          input: 'local',
          label: 'field_periodStart',
          years: { before: 10, after: 1 },
        },
        absences: {
          kind: 'text',
          label: 'field_absences',
          wrong: 'numberWrong',
          inputmode: 'numeric',
          maxlength: 3,
        },
        takenDays: {
          kind: 'text',
          label: 'field_takenDays',
          wrong: 'numberWrong',
          inputmode: 'numeric',
          maxlength: 3,
        },
        soldDays: {
          kind: 'text',
          label: 'field_soldDays',
          wrong: 'numberWrong',
          inputmode: 'numeric',
          maxlength: 3,
        },
      },
    },
    leaves: {
      kind: 'group',
      label: 'leaves',
      hint: 'leavesHint',
      optional: true,
      max: MAX_ROWS,
      add: 'addLeave',
      remove: 'removeLeave',
      fields: {
        startsOn: { kind: 'date', input: 'local', label: 'firstDay', years: AROUND },
        endsOn: { kind: 'date', input: 'local', label: 'lastDay', years: AROUND },
        reason: { kind: 'select', label: 'leaveReason', wrong: 'leaveReasonMissing' },
      },
    },
    endedOn: {
      kind: 'date',
      input: 'local',
      label: 'field_endedOn',
      hint: 'endedOnHint',
      optional: true,
      years: PAST,
    },
    endReason: { kind: 'select', label: 'field_endReason', optional: true },
  },
  refusals: {
    EDIT_CONFLICT: 'editConflict',
    INVALID: {
      field: ({ problems }) => firstProblem(problems).field,
      text: ({ problems }) => firstProblem(problems).text,
    },
  },
}));

/** What only the verb finds, in the order of the form. */
const TEXTS = {
  cpf: 'cpfTaken',
  hiredOn: 'hiredOnWrong',
  bornOn: 'bornOnWrong',
  establishmentId: 'establishmentWrong',
  contractEndsOn: 'endsTooEarly',
  trialEndsOn: 'endsTooEarly',
  vacationPeriods: 'periodsWrong',
  leaves: 'leavesWrong',
  endedOn: 'endsTooEarly',
  endReason: 'endReasonWrong',
} as const;

function firstProblem(problems: unknown) {
  const fields = problemList
    .catch([])
    .parse(problems)
    .map(({ field }) => field);
  const field = (Object.keys(TEXTS) as (keyof typeof TEXTS)[]).find((each) => fields.includes(each)) ?? 'cpf';
  return { field, text: TEXTS[field] };
}

/** Codes of eSocial as choices, by their names in the law. */
const codeChoices = (table: Readonly<Record<string, string>>): Choice[] =>
  Object.keys(table)
    .toSorted()
    .map((value) => ({ value, text: `${value} · ${table[value] ?? ''}`, lang: 'pt-BR' }));

/** The choices of the form. */
export function formChoices(
  lang: Lang,
  establishments: readonly { id: string; name: string }[],
): Record<string, Choice[]> {
  const none = { value: '', text: translationsFor(lang, 'employees')('none') };
  return {
    category: codeChoices(CATEGORIES),
    endReason: [none, ...codeChoices(END_REASONS)],
    'leaves.reason': [none, ...codeChoices(LEAVE_REASONS)],
    establishmentId: [none, ...establishments.map(({ id, name: text }) => ({ value: id, text }))],
  };
}

/** The values of the form for an employee. */
export const formValuesOf = ({
  salaryCents,
  weeklyMinutes,
  vacationPeriods,
  version,
  ...fields
}: Employee) => ({
  ...fields,
  version: String(version),
  salary: salaryCents === null ? '' : (salaryCents / 100).toFixed(2),
  weeklyHours: weeklyMinutes ?? '',
  vacationPeriods: vacationPeriods.map((period) => ({
    startsOn: period.startsOn,
    absences: String(period.absences),
    takenDays: String(period.takenDays),
    soldDays: String(period.soldDays),
  })),
});

/** The input of the verbs from what the form has. */
export const inputOf = ({
  version: _,
  salary,
  weeklyHours,
  ...fields
}: z.output<typeof employeeForm.schema>) => ({
  ...fields,
  salaryCents: salary,
  weeklyMinutes: weeklyHours,
});
