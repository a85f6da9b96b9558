import { z } from 'zod';
import { defineForm } from '#platform/forms/forms.server.ts';
import { date, decimal } from '#platform/inputs/schemas.server.ts';
import type { KeysOf } from '#platform/text/translations.server.ts';
import {
  NOTICES,
  reasonRule,
  REASONS,
  type Notice,
  type Reason,
} from '#features/brazil/labor-rules/termination.ts';
import { STABILITIES } from '#features/brazil/labor-rules/termination-rules.ts';
import type { Weekday } from '#features/base/work-calendars/days.ts';

type Key = KeysOf<'payroll-simulations'>;

/* The forms of estimates. Their pages show the result, and nothing is stored. */

const EARLIEST = '1950-01-01';
const LATEST = '2099-12-31';
/** The years that selects offer. */
const PAST = { before: 60, after: 1 };
const NEAR = { before: 1, after: 3 };

/** A whole number of a field, which says in its `wrong` what is allowed. */
const whole = (min: number, max: number) =>
  z
    .string()
    .trim()
    .regex(/^\d{1,3}$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max));
const day = () => date({ min: EARLIEST, max: LATEST });
const amountInCents = () => decimal().transform((amount = 0) => Math.round(amount * 100));
const MAX_NAME = 70;
const name = () => z.string().trim().max(MAX_NAME);

/** A field for a whole number. */
const number = (label: Key, wrong: Key, hint?: Key) =>
  ({
    kind: 'text',
    label,
    wrong,
    inputmode: 'numeric',
    maxlength: 3,
    autocomplete: 'off',
    ...(hint !== undefined && { hint }),
  }) as const;

/* The fields that both forms have. */
const EMPLOYEE = {
  kind: 'text',
  label: 'employee',
  hint: 'employeeHint',
  optional: true,
  maxlength: MAX_NAME,
  autocomplete: 'off',
} as const;
const SALARY = {
  kind: 'money',
  currency: 'BRL',
  label: 'salary',
  hint: 'salaryHint',
  missing: 'salaryMissing',
} as const;
const ADMISSION = {
  kind: 'date',
  input: 'local',
  label: 'admission',
  missing: 'admissionMissing',
  years: PAST,
} as const;
const DEPENDANTS = number('dependants', 'dependantsWrong', 'dependantsHint');
const ABSENCES = number('absences', 'absencesWrong', 'absencesHint');

const WEEKDAYS = {
  '1': 1,
  '2': 2,
  '3': 3,
  '4': 4,
  '5': 5,
  '6': 6,
  '7': 7,
} as const satisfies Record<string, Weekday>;

export const vacationForm = defineForm('payroll-simulations', (message) => ({
  id: 'vacation',
  title: 'vacationTitle',
  problemTitle: 'notCalculated',
  submit: 'calculate',
  schema: z
    .object({
      employee: name(),
      salary: amountInCents().refine((cents) => cents > 0, message('salaryMissing')),
      admission: day().min(1),
      dependants: whole(0, 20),
      parts: z.array(z.object({ start: day().min(1), days: whole(1, 30) })).max(3),
      soldDays: whole(0, 10),
      hasThirteenth: z.boolean(),
      absences: whole(0, 366),
      periodStart: day(),
      restDay: z.enum(['1', '2', '3', '4', '5', '6', '7']).transform((value) => WEEKDAYS[value]),
    })
    .superRefine(({ admission, parts, periodStart }, context) => {
      const report = (path: PropertyKey[], key: 'startBeforeAdmission' | 'periodBeforeAdmission'): void =>
        context.addIssue({ code: 'custom', path, message: message(key).error });
      for (const [at, { start }] of parts.entries())
        if (start <= admission) report(['parts', at, 'start'], 'startBeforeAdmission');
      if (periodStart !== '' && periodStart < admission) report(['periodStart'], 'periodBeforeAdmission');
    }),
  fields: {
    employee: EMPLOYEE,
    salary: SALARY,
    admission: ADMISSION,
    dependants: DEPENDANTS,
    parts: {
      kind: 'group',
      label: 'parts',
      hint: 'partsHint',
      max: 3,
      add: 'partAdd',
      remove: 'partRemove',
      fields: {
        start: { kind: 'date', input: 'local', label: 'start', missing: 'startMissing', years: NEAR },
        days: number('days', 'daysWrong'),
      },
    },
    soldDays: number('soldDays', 'soldDaysWrong', 'soldDaysHint'),
    hasThirteenth: { kind: 'checkbox', label: 'hasThirteenth', hint: 'hasThirteenthHint' },
    absences: ABSENCES,
    periodStart: {
      kind: 'date',
      input: 'local',
      label: 'periodStart',
      hint: 'periodStartHint',
      optional: true,
      years: PAST,
    },
    restDay: { kind: 'select', label: 'restDay', hint: 'restDayHint' },
  },
}));

const optionalDay = () => day().transform((value) => (value === '' ? undefined : value));
const optionalAmount = () =>
  decimal().transform((amount) => (amount === undefined ? undefined : Math.round(amount * 100)));

const AWAY = ['no', 'vacation', 'leave', 'benefit'] as const;

/** The fields of a termination that are seldom needed. */
export const MORE_OF_TERMINATION: readonly string[] = [
  'termEnd',
  'hasClause',
  'noticeOn',
  'doubleDays',
  'absences',
  'thirteenthAdvanced',
  'deductsNotice',
  'fgtsBalance',
  'baseMonth',
  'stabilities',
  'away',
];

/** The message for notice that the reason does not have. */
function noticeProblem(
  reason: Reason,
  notice: Notice,
  hasClause: boolean,
): 'noticeOfEmployer' | 'noticeOfEmployee' | 'noticeOfNobody' | undefined {
  const { notices } = reasonRule(reason, hasClause);
  if (notices.includes(notice)) return undefined;
  if (notices.includes('none')) return 'noticeOfNobody';
  return notices.includes('paid') ? 'noticeOfEmployer' : 'noticeOfEmployee';
}

export const terminationForm = defineForm('payroll-simulations', (message) => ({
  id: 'termination',
  title: 'terminationTitle',
  problemTitle: 'notCalculated',
  submit: 'calculate',
  schema: z
    .object({
      employee: name(),
      salary: amountInCents().refine((cents) => cents > 0, message('salaryMissing')),
      admission: day().min(1),
      lastDay: day().min(1),
      reason: z.enum(REASONS),
      notice: z.enum(NOTICES),
      dependants: whole(0, 20),
      overdueDays: whole(0, 90),
      termEnd: optionalDay(),
      hasClause: z.boolean(),
      noticeOn: optionalDay(),
      doubleDays: whole(0, 90),
      absences: whole(0, 366),
      thirteenthAdvanced: optionalAmount(),
      deductsNotice: z.boolean(),
      fgtsBalance: optionalAmount(),
      baseMonth: z
        .string()
        .regex(/^(?:|[1-9]|1[0-2])$/)
        .transform((value) => (value === '' ? undefined : Number(value))),
      stabilities: z.array(z.enum(STABILITIES)),
      away: z.enum(AWAY),
    })
    .superRefine((values, context) => {
      const report = (path: keyof typeof values, key: Parameters<typeof message>[0]): void =>
        context.addIssue({ code: 'custom', path: [path], message: message(key).error });
      const { admission, lastDay, reason, notice, hasClause, termEnd, noticeOn } = values;
      if (lastDay < admission) report('lastDay', 'lastDayBeforeAdmission');
      const problem = noticeProblem(reason, notice, hasClause);
      if (problem) report('notice', problem);
      if (reasonRule(reason, hasClause).earlyBy !== undefined && termEnd === undefined)
        report('termEnd', 'termEndMissing');
      if (noticeOn !== undefined && noticeOn > lastDay) report('noticeOn', 'noticeOnWrong');
      if (values.doubleDays > values.overdueDays) report('doubleDays', 'doubleDaysWrong');
    }),
  fields: {
    employee: EMPLOYEE,
    salary: SALARY,
    admission: ADMISSION,
    lastDay: { kind: 'date', input: 'local', label: 'lastDay', missing: 'lastDayMissing', years: NEAR },
    reason: {
      kind: 'select',
      label: 'reason',
      options: [
        ['02', 'reason02'],
        ['07', 'reason07'],
        ['33', 'reason33'],
        ['01', 'reason01'],
        ['06', 'reason06'],
        ['03', 'reason03'],
        ['04', 'reason04'],
        ['17', 'reason17'],
        ['05', 'reason05'],
        ['10', 'reason10'],
      ],
    },
    notice: {
      kind: 'select',
      label: 'notice',
      options: [
        ['paid', 'noticePaid'],
        ['worked', 'noticeWorked'],
        ['notWorked', 'noticeNotWorked'],
        ['released', 'noticeReleased'],
        ['none', 'noticeNone'],
      ],
    },
    dependants: DEPENDANTS,
    overdueDays: number('overdueDays', 'overdueDaysWrong', 'overdueDaysHint'),
    termEnd: { kind: 'date', input: 'local', label: 'termEnd', optional: true, years: NEAR },
    hasClause: { kind: 'checkbox', label: 'hasClause' },
    noticeOn: {
      kind: 'date',
      input: 'local',
      label: 'noticeOn',
      hint: 'noticeOnHint',
      optional: true,
      years: NEAR,
    },
    doubleDays: number('doubleDays', 'overdueDaysWrong'),
    absences: ABSENCES,
    thirteenthAdvanced: { kind: 'money', currency: 'BRL', label: 'thirteenthAdvanced', optional: true },
    deductsNotice: { kind: 'checkbox', label: 'deductsNotice' },
    fgtsBalance: {
      kind: 'money',
      currency: 'BRL',
      label: 'fgtsBalance',
      hint: 'fgtsBalanceHint',
      optional: true,
    },
    baseMonth: { kind: 'select', label: 'baseMonth', optional: true },
    stabilities: {
      kind: 'checkboxes',
      label: 'stabilities',
      hint: 'stabilitiesHint',
      optional: true,
      options: [
        ['pregnancy', 'stabilityPregnancy'],
        ['safety', 'stabilitySafety'],
        ['accident', 'stabilityAccident'],
        ['union', 'stabilityUnion'],
        ['retirement', 'stabilityRetirement'],
        ['other', 'stabilityOther'],
      ],
    },
    away: {
      kind: 'select',
      label: 'away',
      options: [
        ['no', 'awayNo'],
        ['vacation', 'awayVacation'],
        ['leave', 'awayLeave'],
        ['benefit', 'awayBenefit'],
      ],
    },
  },
}));
