import { z } from 'zod';
import { defineForm, UPCOMING_YEARS } from '#platform/forms/forms.server.ts';
import { date } from '#platform/inputs/schemas.server.ts';
import { line } from '#platform/inputs/line-schemas.ts';
import { COUNTRIES, type Fact } from './profile.ts';
import { KINDS } from './rules.ts';
import { DAYS_BEFORE, MAX_NAME, MAX_REASON, REPEATS } from './tax-calendar.ts';

const fact = z.string().max(40);
/** A choice of what is known, whose values depend on the country: the page passes them. */
const factField = <Label extends string>(label: Label) => ({ kind: 'select', label }) as const;

/** What the tax dates of a client depend on. */
export const profileForm = defineForm('tax-calendar', () => ({
  id: 'tax-profile',
  title: 'profileTitle',
  problemTitle: 'notSaved',
  submit: 'saveProfile',
  schema: z.object({
    version: z.coerce.number().int().catch(0),
    country: z.enum(COUNTRIES),
    region: fact,
    entity: fact,
    regime: fact,
    payroll: fact,
    employees: fact,
    payday: fact,
    vat: fact,
    salesTax: fact,
    statements: fact,
    deferredVat: fact,
    selfAssessment: fact,
    selfEmployed: fact,
    digitalUpdates: fact,
    estimates: fact,
    extension: fact,
    contractors: fact,
    subcontractors: fact,
    benefits: fact,
    settlement: fact,
    foreignAccounts: fact,
    nonResidents: fact,
    manyEmployees: fact,
    retirementPlan: fact,
    smallCompany: fact,
    largeCompany: fact,
    taxAgent: fact,
    payrollTax: fact,
    domesticWorkers: fact,
    multilateral: fact,
    industry: fact,
    substitution: fact,
    saoPauloServices: fact,
  } satisfies Record<Fact | 'version' | 'country', z.ZodType>),
  fields: {
    version: { kind: 'hidden' },
    country: { kind: 'hidden' },
    region: factField('fact_region'),
    entity: factField('fact_entity'),
    regime: factField('fact_regime'),
    payroll: factField('fact_payroll'),
    employees: factField('fact_employees'),
    payday: factField('fact_payday'),
    vat: factField('fact_vat'),
    salesTax: factField('fact_salesTax'),
    statements: factField('fact_statements'),
    deferredVat: factField('fact_deferredVat'),
    selfAssessment: factField('fact_selfAssessment'),
    selfEmployed: factField('fact_selfEmployed'),
    digitalUpdates: factField('fact_digitalUpdates'),
    estimates: factField('fact_estimates'),
    extension: factField('fact_extension'),
    contractors: factField('fact_contractors'),
    subcontractors: factField('fact_subcontractors'),
    benefits: factField('fact_benefits'),
    settlement: factField('fact_settlement'),
    foreignAccounts: factField('fact_foreignAccounts'),
    nonResidents: factField('fact_nonResidents'),
    manyEmployees: factField('fact_manyEmployees'),
    retirementPlan: factField('fact_retirementPlan'),
    smallCompany: factField('fact_smallCompany'),
    largeCompany: factField('fact_largeCompany'),
    taxAgent: factField('fact_taxAgent'),
    payrollTax: factField('fact_payrollTax'),
    domesticWorkers: factField('fact_domesticWorkers'),
    multilateral: factField('fact_multilateral'),
    industry: factField('fact_industry'),
    substitution: factField('fact_substitution'),
    saoPauloServices: factField('fact_saoPauloServices'),
  },
  refusals: { EDIT_CONFLICT: 'changedMeanwhile' },
}));

/** Adds a date of the firm. */
export const ownDateForm = defineForm('tax-calendar', (message) => ({
  id: 'own-date',
  title: 'addTitle',
  problemTitle: 'notSaved',
  submit: 'add',
  schema: z.object({
    name: line(MAX_NAME).min(1),
    kind: z.enum(KINDS),
    startsOn: date().min(1, message('dayMissing')),
    repeats: z.enum(REPEATS),
    roll: z.enum(['none', 'after', 'before']),
  }),
  fields: {
    name: {
      kind: 'text',
      label: 'name',
      hint: 'nameHint',
      missing: 'nameMissing',
      wrong: 'nameWrong',
      maxlength: MAX_NAME,
      autocomplete: 'off',
    },
    kind: {
      kind: 'select',
      label: 'kind',
      options: [
        ['file', 'kind_file'],
        ['pay', 'kind_pay'],
        ['give', 'kind_give'],
      ],
    },
    startsOn: {
      kind: 'date',
      input: 'local',
      years: UPCOMING_YEARS,
      label: 'firstDay',
      missing: 'dayMissing',
      wrong: 'dayWrong',
    },
    repeats: {
      kind: 'select',
      label: 'repeats',
      options: [
        ['once', 'repeat_once'],
        ['monthly', 'repeat_monthly'],
        ['quarterly', 'repeat_quarterly'],
        ['yearly', 'repeat_yearly'],
      ],
    },
    roll: {
      kind: 'select',
      label: 'roll',
      options: [
        ['none', 'roll_none'],
        ['after', 'roll_after'],
        ['before', 'roll_before'],
      ],
    },
  },
  refusals: { TOO_MANY: 'tooMany' },
}));

/** Moves a date of a client. */
export const moveForm = defineForm('tax-calendar', (message) => ({
  id: 'move-date',
  title: 'moveTitle',
  problemTitle: 'notSaved',
  submit: 'move',
  schema: z.object({
    day: date().min(1, message('dayMissing')),
    reason: line(MAX_REASON).min(1),
  }),
  fields: {
    day: {
      kind: 'date',
      input: 'local',
      years: UPCOMING_YEARS,
      label: 'newDay',
      missing: 'dayMissing',
      wrong: 'dayWrong',
    },
    reason: {
      kind: 'text',
      label: 'reason',
      hint: 'reasonHint',
      missing: 'reasonMissing',
      wrong: 'nameWrong',
      maxlength: MAX_REASON,
      autocomplete: 'off',
    },
  },
  refusals: { INVALID: { field: 'day', text: 'dayPast' } },
}));

const NEVER = 'never';

/** When a contact wants to be reminded of tax dates. */
export const reminderForm = defineForm('tax-calendar', () => ({
  id: 'tax-reminders',
  title: 'remindersTitle',
  problemTitle: 'notSaved',
  submit: 'save',
  schema: z.object({
    before: z.enum([NEVER, ...DAYS_BEFORE.map(String)]).transform((chosen) => {
      return chosen === NEVER ? undefined : Number(chosen);
    }),
  }),
  fields: { before: { kind: 'select', label: 'remindersLabel', hint: 'remindersHint' } },
}));

export const beforeChoice = (days: number | undefined): string => (days === undefined ? NEVER : String(days));
