import { movedDay, type WorkCalendar } from '#features/base/work-calendars/calendar.ts';
import { addDays, addMonths, fullYears, weekdayOf, type Day } from '#features/base/work-calendars/days.ts';
import { rounded, share, sumOf } from './amounts.ts';
import type { Finding } from './findings.ts';
import {
  daysWithShortPause,
  isNight,
  minutesOfDay,
  minutesOfWeek,
  restsOf,
  type ScheduledDay,
} from './schedules.ts';
import { minimumWageOn } from './tables.ts';

/* The rules of an admission before it is sent. What is not known is no finding. */

export type AdmissionRule =
  'A1' | 'A2' | 'A3' | 'A4' | 'A5' | 'A6' | 'A7' | 'A8' | 'A9' | 'A10' | 'A11' | 'A12';

export interface AdmissionPlan {
  start: Day;
  /** A category of eSocial's table 01: 103 is an apprentice. */
  category: string;
  birth?: Day;
  /** The days of a trial, and of its extension. */
  trial?: readonly number[];
  schedule?: readonly ScheduledDay[];
  /** Hours of a week in minutes, where there is no schedule. */
  weekMinutes?: number;
  isAtNight?: boolean;
  /** eSocial's tmpParc: 0 full time, 1 up to 25 hours, 2 up to 30, 3 up to 26. */
  partTime?: 0 | 1 | 2 | 3;
  /** Cents by the hour (eSocial's undSalFixo 1) or by the month (5). */
  salary?: { cents: number; unit: 'hour' | 'month' };
  /** When the employee was or will be examined; undefined if not yet known. */
  examOn?: Day;
  apprenticeship?: { endsOn: Day; hasEntity: boolean; hasFinishedSchool: boolean };
}

export interface AdmissionFacts {
  today: Day;
  calendar: WorkCalendar;
  /** Whether somebody with the same CPF works for the client. */
  isActiveHere?: boolean;
  /** When the same person was dismissed without cause, or had the end of a fixed term. */
  dismissedOn?: Day;
  fixedTermEndedOn?: Day;
  /** How many employees the company has. */
  employees?: number;
}

type Rule = (plan: AdmissionPlan, facts: AdmissionFacts) => Finding<AdmissionRule>[];

/** Checks an admission by every rule, in their order. */
export const checkAdmission: Rule = (plan, facts) => RULES.flatMap((rule) => rule(plan, facts));

const none: Finding<AdmissionRule>[] = [];
const HOUR = 60;

/** The last working day before the work begins. */
export const registerBy = (start: Day, { holidayOn }: WorkCalendar): Day =>
  movedDay(addDays(start, -1), 'before', (day) => weekdayOf(day) <= 5 && holidayOn(day) === undefined);

const A1: Rule = ({ start }, { today, calendar }) => {
  const date = registerBy(start, calendar);
  const severity = start <= today ? 'confirm' : date <= today ? 'warns' : 'informs';
  return [
    { rule: 'A1', severity, path: 'start', vars: { date }, law: 'CLT, arts. 29 e 41; eSocial, S-2190' },
  ];
};

const APPRENTICE = '103';

const A2: Rule = ({ birth, start, category, isAtNight, schedule = [] }) => {
  if (birth === undefined) return none;
  const age = fullYears(birth, start);
  const isAllowed = age >= 16 || (age >= 14 && category === APPRENTICE);
  const atNight = isAtNight ?? schedule.some(isNight);
  const law = 'CF, art. 7º, XXXIII; CLT, arts. 403 a 405';
  if (!isAllowed) return [{ rule: 'A2', severity: 'blocks', path: 'birth', vars: { age }, law }];
  return age < 18 && atNight
    ? [{ rule: 'A2', severity: 'blocks', path: 'night', vars: { age }, law: 'CLT, art. 404' }]
    : none;
};

const A3: Rule = ({ start, examOn }, { today }) =>
  (examOn === undefined ? start <= today : examOn > start)
    ? [{ rule: 'A3', severity: 'confirm', path: 'examOn', vars: { date: start }, law: 'CLT, art. 168; NR-7' }]
    : none;

const MAX_TRIAL = 90;

/** The last day of each period of a trial that begins on a day. */
export const trialEnds = (start: Day, trial: readonly number[]): Day[] =>
  trial.map((_, at) => addDays(start, sumOf(trial.slice(0, at + 1)) - 1));

const A4: Rule = ({ trial = [] }) => {
  const days = sumOf(trial);
  return days > MAX_TRIAL || trial.length > 2
    ? [{ rule: 'A4', severity: 'blocks', path: 'trial', vars: { days }, law: 'CLT, arts. 445 e 451' }]
    : none;
};

const weekOf = ({ schedule, weekMinutes }: AdmissionPlan): number | undefined =>
  schedule ? minutesOfWeek(schedule) : weekMinutes;

const A5: Rule = (plan) => {
  const law = 'CF, art. 7º, XIII; CLT, arts. 58 a 59-A';
  const week = weekOf(plan) ?? 0;
  if (week > 44 * HOUR)
    return [{ rule: 'A5', severity: 'blocks', path: 'week', vars: { minutes: week }, law }];
  const longest = Math.max(0, ...(plan.schedule ?? []).map(minutesOfDay));
  return longest > 8 * HOUR
    ? [{ rule: 'A5', severity: 'warns', path: 'schedule', vars: { minutes: longest }, law }]
    : none;
};

/** Breaks within a day, 11 hours between two days, and a day of rest in a week. */
const A6: Rule = ({ schedule = [] }) => {
  const rests = restsOf(schedule);
  const isGood =
    daysWithShortPause(schedule).length === 0 &&
    rests.every((rest) => rest >= 11 * HOUR) &&
    (rests.length === 0 || rests.some((rest) => rest >= 35 * HOUR));
  return isGood
    ? none
    : [{ rule: 'A6', severity: 'warns', path: 'schedule', vars: {}, law: 'CLT, arts. 66, 67 e 71' }];
};

const PART_TIME = { 1: 25, 2: 30, 3: 26 } as const;

const A7: Rule = (plan) => {
  const { partTime = 0 } = plan;
  const hours = partTime === 0 ? 44 : PART_TIME[partTime];
  return partTime !== 0 && (weekOf(plan) ?? 0) > hours * HOUR
    ? [{ rule: 'A7', severity: 'blocks', path: 'week', vars: { hours }, law: 'CLT, art. 58-A' }]
    : none;
};

const MONTH_HOURS = 220;

/** The minimum of a salary, in cents: of an hour, or of a month with the hours of a week. */
export function minimumSalary(day: Day, unit: 'hour' | 'month', weekMinutes = 44 * HOUR): number | undefined {
  const wage = minimumWageOn(day);
  if (wage === undefined) return undefined;
  return unit === 'hour'
    ? rounded(wage, MONTH_HOURS)
    : share(wage, Math.min(weekMinutes, 44 * HOUR), 44 * HOUR);
}

const A8: Rule = (plan) => {
  const { salary, start } = plan;
  const minimum = salary && minimumSalary(start, salary.unit, weekOf(plan));
  return salary && minimum !== undefined && salary.cents < minimum
    ? [
        {
          rule: 'A8',
          severity: 'confirm',
          path: 'salary',
          vars: { minimumCents: minimum },
          law: 'CF, art. 7º, IV',
        },
      ]
    : none;
};

const A9: Rule = (_, { isActiveHere = false }) =>
  isActiveHere ? [{ rule: 'A9', severity: 'confirm', path: 'cpf', vars: {}, law: 'CLT, art. 29' }] : none;

const A10: Rule = ({ start, trial = [] }, { dismissedOn, fixedTermEndedOn }) => {
  const isSoon = dismissedOn !== undefined && start <= addDays(dismissedOn, 90);
  const isAgain =
    trial.length > 0 && fixedTermEndedOn !== undefined && start <= addMonths(fixedTermEndedOn, 6);
  return isSoon || isAgain
    ? [
        {
          rule: 'A10',
          severity: 'warns',
          path: 'start',
          vars: {},
          law: isSoon ? 'Portaria MTb 384/1992' : 'CLT, art. 452',
        },
      ]
    : none;
};

const A11: Rule = (plan) => {
  const { category, birth, start, apprenticeship, schedule = [] } = plan;
  if (category !== APPRENTICE) return none;
  const age = birth === undefined ? undefined : fullYears(birth, start);
  const hours = apprenticeship?.hasFinishedSchool ? 8 : 6;
  const isGood =
    (age === undefined || (age >= 14 && age < 24)) &&
    apprenticeship?.hasEntity !== false &&
    (apprenticeship === undefined || apprenticeship.endsOn < addMonths(start, 24)) &&
    schedule.every((day) => minutesOfDay(day) <= hours * HOUR);
  return isGood
    ? none
    : [{ rule: 'A11', severity: 'blocks', path: 'category', vars: { hours }, law: 'CLT, arts. 428 a 432' }];
};

/** The share of employees with a disability, in percent, by the number of employees. */
function quota(employees: number): number {
  if (employees < 100) return 0;
  if (employees <= 200) return 2;
  if (employees <= 500) return 3;
  return employees <= 1000 ? 4 : 5;
}

const A12: Rule = (_, { employees = 0 }) => {
  const percent = quota(employees);
  return percent === 0
    ? none
    : [
        {
          rule: 'A12',
          severity: 'informs',
          path: 'disability',
          vars: { percent, needed: Math.ceil((employees * percent) / 100) },
          law: 'Lei 8.213/1991, art. 93',
        },
      ];
};

const RULES: readonly Rule[] = [A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12];
