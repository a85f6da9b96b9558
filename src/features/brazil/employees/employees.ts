import { z } from 'zod';
import { CATEGORIES, END_REASONS, LEAVE_REASONS } from '#features/brazil/labor-rules/esocial-tables.ts';
import { entitledDays, periodFrom } from '#features/brazil/labor-rules/vacation.ts';
import { line } from '#platform/inputs/line-schemas.ts';
import { isDate } from '#platform/inputs/dates.ts';
import { withoutMask } from '#platform/inputs/masks.ts';
import { isTaxId } from '#platform/inputs/tax-ids.ts';

/* The employees of a client: one schema for the form, the calls and imports. Codes are those of eSocial. */

export const MAX_NAME = 70;
export const MAX_REGISTRATION = 30;
export const MAX_POSITION = 100;
const MAX_PERIODS = 60;
const MAX_LEAVES = 200;
const MAX_IN_BULK = 1000;
const MAX_TOOLTIPS = 100;
const MAX_CENTS = 999_999_999;
const MAX_WEEK = 168 * 60;

const day = z.string().refine((text) => isDate(text));
const dayOrNone = z.string().refine((text) => text === '' || isDate(text));
const codeOf = (table: Readonly<Record<string, string>>) =>
  z.string().refine((code) => Object.hasOwn(table, code));

/** The unit of the salary (eSocial undSalFixo): from 1, by hour, to 5, by month; 7 is variable only. */
export const SALARY_UNITS = ['1', '2', '3', '4', '5', '6', '7'] as const;

/** A year of work that earns a vacation. */
const vacationPeriod = z.strictObject({
  startsOn: day,
  /** Days of unjustified absence. */
  absences: z.int().min(0).max(366).default(0),
  takenDays: z.int().min(0).max(60).default(0),
  soldDays: z.int().min(0).max(10).default(0),
});

/** Days without work, such as a vacation (reason 15). Without an end it is open. */
const leave = z.strictObject({
  startsOn: day,
  endsOn: dayOrNone.default(''),
  /** eSocial, table 18. */
  reason: codeOf(LEAVE_REASONS),
});
export type Leave = z.output<typeof leave>;
type StoredPeriod = z.output<typeof vacationPeriod>;

const fields = {
  name: line(MAX_NAME).min(1),
  /** Without punctuation. */
  cpf: z
    .string()
    .max(40)
    .overwrite((text) => withoutMask('cpf', text))
    .refine((text) => isTaxId('cpf', text)),
  /** The number of the contract at the company (matrícula). One person may have several contracts. */
  registration: line(MAX_REGISTRATION).refine((text) => !/^esocial/i.test(text)),
  /** eSocial, table 01. */
  category: codeOf(CATEGORIES),
  hiredOn: day,
  position: line(MAX_POSITION),
  /** The occupation: six digits of CBO 2002. */
  cbo: z.string().regex(/^(?:\d{6})?$/),
  salaryCents: z.int().min(0).max(MAX_CENTS).nullable(),
  salaryUnit: z.enum(SALARY_UNITS),
  weeklyMinutes: z.int().min(0).max(MAX_WEEK).nullable(),
  bornOn: dayOrNone,
  /** The id of an establishment of the client; empty if it is not known. */
  establishmentId: z.string().max(60),
  /** The last day of a fixed term; empty for a contract without one. */
  contractEndsOn: dayOrNone,
  trialEndsOn: dayOrNone,
  /** The last day of the contract; empty while it lasts. */
  endedOn: dayOrNone,
  /** eSocial, table 19; empty while the contract lasts. */
  endReason: z.string().refine((code) => code === '' || Object.hasOwn(END_REASONS, code)),
  vacationPeriods: z.array(vacationPeriod).max(MAX_PERIODS),
  leaves: z.array(leave).max(MAX_LEAVES),
};

/** A new employee; what is missing is empty. */
export const employeeInput = z.strictObject({
  ...fields,
  registration: fields.registration.default(''),
  category: fields.category.default('101'),
  position: fields.position.default(''),
  cbo: fields.cbo.default(''),
  salaryCents: fields.salaryCents.default(null),
  salaryUnit: fields.salaryUnit.default('5'),
  weeklyMinutes: fields.weeklyMinutes.default(null),
  bornOn: fields.bornOn.default(''),
  establishmentId: fields.establishmentId.default(''),
  contractEndsOn: fields.contractEndsOn.default(''),
  trialEndsOn: fields.trialEndsOn.default(''),
  endedOn: fields.endedOn.default(''),
  endReason: fields.endReason.default(''),
  vacationPeriods: fields.vacationPeriods.default([]),
  leaves: fields.leaves.default([]),
});
export type EmployeeInput = z.input<typeof employeeInput>;
export type EmployeeFields = z.output<typeof employeeInput>;
export type FieldName = keyof EmployeeFields;
export const FIELD_NAMES = Object.keys(fields) as FieldName[];

/** Fields of an employee to change; what is missing stays. */
export const employeeChange = z.strictObject(fields).partial();
export type EmployeeChange = z.input<typeof employeeChange>;
/** EDIT_CONFLICT if `version` is not the current one. */
export const employeeUpdate = employeeChange.extend({ version: z.int() });

/** What an employee is today, as the dates say. */
const STATES = ['active', 'onLeave', 'onVacation', 'ended'] as const;
export type State = (typeof STATES)[number];

export const employee = z.strictObject({
  ...fields,
  id: z.string(),
  clientId: z.string(),
  state: z.enum(STATES),
  /** Changes with every update. */
  version: z.int(),
});
export type Employee = z.infer<typeof employee>;

/** An employee in a list, without what only their own page shows. */
const listedEmployee = z.strictObject({
  id: z.string(),
  name: z.string(),
  cpf: z.string(),
  registration: z.string(),
  hiredOn: z.string(),
  position: z.string(),
  category: z.string(),
  establishmentId: z.string(),
  state: z.enum(STATES),
});
export type ListedEmployee = z.infer<typeof listedEmployee>;

/** Page size of lists (spec 2, section 9). */
export const PAGE = 30;
const MAX_PAGE = 100;
/** Whom a list shows: those whose contract lasts, those whose contract ended, or all. */
export const SHOWN = ['current', 'ended', 'all'] as const;

export const employeeQuery = z.strictObject({
  filter: z.enum(SHOWN).default('all'),
  searchTerm: z.string().max(200).default(''),
  startIndex: z.coerce.number().int().min(0).max(1_000_000).default(0),
  itemsPerPage: z.coerce.number().int().min(1).max(MAX_PAGE).default(PAGE),
});
export type EmployeeQuery = z.output<typeof employeeQuery>;
export const employeePage = z.strictObject({ items: z.array(listedEmployee), totalItems: z.int() });

/** What the tooltip shows of an employee (spec 2, section 3). */
const tooltip = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** 000.000.000-00. */
  cpf: z.string(),
  hireDate: z.string(),
  jobPosition: z.string(),
});
export const tooltipList = z.strictObject({ items: z.array(tooltip) });
export const tooltipQuery = z.strictObject({
  ids: z
    .string()
    .max(MAX_TOOLTIPS * 61)
    .transform((ids) => ids.split(',').filter(Boolean))
    .pipe(z.array(z.string().max(60)).min(1).max(MAX_TOOLTIPS)),
});

/** A year of work with what is left of its vacation. */
const shownPeriod = vacationPeriod.extend({
  endsOn: z.string(),
  /** The last day on which the vacation may end. */
  useBy: z.string(),
  entitledDays: z.int(),
  leftDays: z.int(),
});
export const periodList = z.strictObject({ items: z.array(shownPeriod) });

/** What the law makes of a stored period (CLT, arts. 130 and 134). */
export function shownPeriodOf(period: StoredPeriod): z.infer<typeof shownPeriod> {
  const { end, useBy } = periodFrom(period.startsOn);
  const entitled = entitledDays(period.absences);
  return {
    ...period,
    endsOn: end,
    useBy,
    entitledDays: entitled,
    leftDays: Math.max(0, entitled - period.takenDays - period.soldDays),
  };
}

/** Fields of an employee, whose values are judged one employee at a time; others are refused with all. */
const bulkItem = z.strictObject({
  ...Object.fromEntries(FIELD_NAMES.map((name) => [name, z.unknown().optional()])),
  registration: z.string().max(MAX_REGISTRATION),
});

/** Many employees of a client, each recognized by its registration. */
export const bulkInput = z.strictObject({ items: z.array(bulkItem).min(1).max(MAX_IN_BULK) });

/** Why fields are refused. */
export const problemList = z.array(
  z.strictObject({ field: z.string(), problem: z.enum(['missing', 'wrong', 'taken']) }),
);
export type EmployeeProblem = z.infer<typeof problemList>[number];

export const bulkAnswer = z.strictObject({
  items: z.array(
    z.strictObject({
      registration: z.string(),
      status: z.enum(['created', 'updated', 'unchanged', 'refused']),
      id: z.string().nullable(),
      problems: problemList,
    }),
  ),
});
export type BulkItem = z.infer<typeof bulkAnswer>['items'][number];

/** How an employee is stored in the index: what kind of worker a category is. */
export function kindOf(category: string): 'employee' | 'apprentice' | 'intern' | 'partner' {
  if (category === '103') return 'apprentice';
  if (category === '901') return 'intern';
  return category.startsWith('7') ? 'partner' : 'employee';
}
