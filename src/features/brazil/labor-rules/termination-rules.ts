import { movedDay, type WorkCalendar } from '#features/base/work-calendars/calendar.ts';
import {
  addDays,
  dayOfParts,
  daysBetween,
  fullYears,
  partsOfDay,
  type Day,
} from '#features/base/work-calendars/days.ts';
import type { Finding, Severity } from './findings.ts';
import { noticeDays, projectedEnd, reasonRule, type Notice, type Reason } from './termination.ts';
import { earlyEndCents } from './termination-estimate.ts';

/* The rules of the end of a contract before it is requested. What is not known of the employee is no finding. */

export type TerminationRule =
  'T1' | 'T3' | 'T4' | 'T5' | 'T6' | 'T7' | 'T8' | 'T9' | 'T10' | 'T11' | 'T12' | 'T13' | 'T14';

/** What protects an employee from dismissal. */
export const STABILITIES = ['pregnancy', 'safety', 'accident', 'union', 'retirement', 'other'] as const;
export type Stability = (typeof STABILITIES)[number];

export interface TerminationPlan {
  salary: number;
  admission: Day;
  lastDay: Day;
  reason: Reason;
  notice: Notice;
  /** When notice that is worked was given. */
  noticeOn?: Day | undefined;
  /** The last day of a fixed term, trial included. */
  termEnd?: Day | undefined;
  hasClause?: boolean;
  stabilities: readonly Stability[];
  /** The month of the union's agreement, from 1. */
  baseMonth?: number | undefined;
}

export interface TerminationFacts {
  today: Day;
  calendar: WorkCalendar;
  birth?: Day;
  /** Whether the employee is on vacation, on leave, or on leave with benefit from social security on the last day. */
  away?: 'vacation' | 'leave' | 'benefit';
  /** The last medical examination, and the grade of risk of the workplace. */
  examinedOn?: Day;
  riskGrade?: 1 | 2 | 3 | 4;
}

type Rule = (plan: TerminationPlan, facts: TerminationFacts) => Finding<TerminationRule>[];

/** Checks a plan by every rule, in their order. The second rule, the projected end, is part of the first one. */
export const checkTermination: Rule = (plan, facts) => RULES.flatMap((rule) => rule(plan, facts));

const none: Finding<TerminationRule>[] = [];

const BY_EMPLOYER: readonly Reason[] = ['02', '17'];

const T1: Rule = (plan) => {
  const { notice, reason, hasClause, admission, lastDay } = plan;
  if (notice !== 'paid' || reasonRule(reason, hasClause).notice === 0) return none;
  return [
    {
      rule: 'T1',
      severity: 'informs',
      path: 'notice',
      vars: { days: noticeDays(admission, lastDay), date: projectedEnd(plan) },
      law: 'Lei 12.506/2011; CLT, art. 487, § 1º; OJ 82 da SDI-1',
    },
  ];
};

const PAY_WITHIN = 10;

/** The last day on which banks can pay what is due at the end of a contract. */
export const terminationPayDay = (lastDay: Day, { isBankDay }: WorkCalendar): Day =>
  movedDay(addDays(lastDay, PAY_WITHIN), 'before', isBankDay);

const T3: Rule = ({ lastDay }, { today, calendar }) => {
  const date = terminationPayDay(lastDay, calendar);
  const severity: Severity = date < today ? 'warns' : 'informs';
  return [{ rule: 'T3', severity, path: 'lastDay', vars: { date }, law: 'CLT, art. 477, § 6º' }];
};

const T4: Rule = ({ notice, noticeOn, admission, reason, hasClause }) => {
  if (notice !== 'worked' || noticeOn === undefined) return none;
  const isGiven = reasonRule(reason, hasClause).notice > 0;
  const days = isGiven ? noticeDays(admission, noticeOn) : 30;
  return [
    {
      rule: 'T4',
      severity: 'informs',
      path: 'noticeOn',
      vars: { days, date: addDays(noticeOn, days) },
      law: isGiven ? 'CLT, art. 488' : 'CLT, art. 487, II',
    },
  ];
};

const T5: Rule = ({ reason, hasClause, lastDay, termEnd = lastDay, salary }) => {
  const { earlyBy } = reasonRule(reason, hasClause);
  const days = daysBetween(lastDay, termEnd);
  if (earlyBy === undefined || days <= 0) return none;
  return [
    {
      rule: 'T5',
      severity: 'informs',
      path: 'termEnd',
      vars: { days, halfCents: earlyEndCents(salary, days) },
      law: earlyBy === 'employer' ? 'CLT, art. 479' : 'CLT, art. 480',
    },
  ];
};

const FIXED: readonly Reason[] = ['03', '04', '06'];

const T6: Rule = ({ reason, lastDay, termEnd }) => {
  if (termEnd === undefined || lastDay <= termEnd) return none;
  const severity: Severity = FIXED.includes(reason) ? 'blocks' : 'warns';
  return [{ rule: 'T6', severity, path: 'lastDay', vars: { date: termEnd }, law: 'CLT, arts. 445 e 451' }];
};

const STABILITY_LAWS: Readonly<Record<Stability, string>> = {
  pregnancy: 'ADCT, art. 10, II, b; Súmula 244 do TST',
  safety: 'ADCT, art. 10, II, a; Súmula 339 do TST',
  accident: 'Lei 8.213/1991, art. 118; Súmula 378 do TST',
  union: 'CLT, art. 543, § 3º',
  retirement: 'convenção coletiva',
  other: 'CLT, art. 165',
};
const REFUSED_TO_STABLE: readonly Reason[] = ['02', '03', '33'];

const T7: Rule = ({ reason, stabilities }) =>
  REFUSED_TO_STABLE.includes(reason)
    ? stabilities.map((stability) => ({
        rule: 'T7',
        severity: 'confirm',
        path: 'stabilities',
        vars: { stability },
        law: STABILITY_LAWS[stability],
      }))
    : none;

const BEFORE_BASE = 30;

const T8: Rule = (plan) => {
  const { reason, baseMonth, salary } = plan;
  if (baseMonth === undefined || !BY_EMPLOYER.includes(reason)) return none;
  const end = projectedEnd(plan);
  const { year } = partsOfDay(end);
  const base = [year, year + 1].map((of) => dayOfParts(of, baseMonth, 1)).find((day) => day > end) ?? end;
  return daysBetween(end, base) > BEFORE_BASE
    ? none
    : [
        {
          rule: 'T8',
          severity: 'warns',
          path: 'baseMonth',
          vars: { date: base, end, salaryCents: salary },
          law: 'Lei 7.238/1984, art. 9º; Súmula 182 do TST',
        },
      ];
};

const T9: Rule = ({ reason }, { away }) => {
  if (away === undefined) return none;
  const isRefused = away === 'benefit' && (reason === '02' || reason === '07');
  const severity: Severity = isRefused ? 'blocks' : 'confirm';
  return [{ rule: 'T9', severity, path: 'lastDay', vars: {}, law: 'CLT, arts. 471 e 476' }];
};

const EVENT_AHEAD = 10;

const T10: Rule = ({ lastDay }, { today }) =>
  daysBetween(today, lastDay) > EVENT_AHEAD
    ? [
        {
          rule: 'T10',
          severity: 'informs',
          path: 'lastDay',
          vars: { date: addDays(lastDay, -EVENT_AHEAD) },
          law: 'eSocial, S-2299, dtDeslig',
        },
      ]
    : none;

const T11: Rule = ({ reason }) =>
  reason === '33'
    ? [{ rule: 'T11', severity: 'informs', path: 'reason', vars: {}, law: 'CLT, art. 484-A' }]
    : none;

const T12: Rule = ({ reason }) =>
  reason === '01'
    ? [{ rule: 'T12', severity: 'confirm', path: 'reason', vars: {}, law: 'CLT, art. 482' }]
    : none;

const T13: Rule = ({ lastDay }, { birth }) =>
  birth !== undefined && fullYears(birth, lastDay) < 18
    ? [{ rule: 'T13', severity: 'warns', path: 'lastDay', vars: {}, law: 'CLT, art. 439' }]
    : none;

/** The examination at the end is not needed after another one of the last days, which are fewer where the risk is higher. */
const T14: Rule = ({ reason, lastDay }, { examinedOn, riskGrade = 4 }) => {
  const days = riskGrade <= 2 ? 135 : 90;
  const isRecent = examinedOn !== undefined && daysBetween(examinedOn, lastDay) <= days;
  return reason === '10' || isRecent
    ? none
    : [{ rule: 'T14', severity: 'warns', path: 'lastDay', vars: {}, law: 'NR-7, 7.5.11' }];
};

const RULES: readonly Rule[] = [T1, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14];
