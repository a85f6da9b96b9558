import { addDays, addMonths, type Day } from '#features/base/work-calendars/days.ts';
import { nextFifteenth } from './deadlines.ts';
import type { Finding } from './findings.ts';

/* The rules of an internship before it is sent (Lei 11.788/2008). What is not known is no finding. */

export type InternRule =
  'hours' | 'term' | 'pay' | 'insurance' | 'supervisor' | 'share' | 'recess' | 'report' | 'event';

export interface InternPlan {
  start: Day;
  end: Day;
  /** The level of eSocial's nivEstagio. */
  level: 'fundamental' | 'medium' | 'professional' | 'higher' | 'special';
  isMandatory: boolean;
  dayMinutes: number;
  weekMinutes: number;
  /** Only weeks without classes, which the course allows. */
  isWithoutClasses?: boolean;
  hasDisability?: boolean;
  /** In cents, by month. */
  grant: number;
  transport: number;
  hasInsurance: boolean;
}

export interface InternFacts {
  /** Interns of the same supervisor, with this one. */
  supervised?: number;
  /** Employees of the workplace, and its interns of a level below higher education, with this one. */
  employees?: number;
  interns?: number;
}

type Rule = (plan: InternPlan, facts: InternFacts) => Finding<InternRule>[];

/** Checks an internship by every rule, in their order. */
export const checkInternship: Rule = (plan, facts) => RULES.flatMap((rule) => rule(plan, facts));

const none: Finding<InternRule>[] = [];
const HOUR = 60;

/** Hours of a day and of a week at most. */
const hoursOf = ({ level, isWithoutClasses = false }: InternPlan): { day: number; week: number } => {
  if (level === 'special' || level === 'fundamental') return { day: 4, week: 20 };
  return isWithoutClasses ? { day: 8, week: 40 } : { day: 6, week: 30 };
};

const hours: Rule = (plan) => {
  const { day, week } = hoursOf(plan);
  return plan.dayMinutes > day * HOUR || plan.weekMinutes > week * HOUR
    ? [
        {
          rule: 'hours',
          severity: 'blocks',
          path: 'week-hours',
          vars: { day, week },
          law: 'Lei 11.788/2008, art. 10',
        },
      ]
    : none;
};

/** The last day of two years with the same company. */
export const internshipLimit = (start: Day): Day => addDays(addMonths(start, 24), -1);

const term: Rule = ({ start, end, hasDisability = false }) => {
  const date = internshipLimit(start);
  return end > date && !hasDisability
    ? [
        {
          rule: 'term',
          severity: 'blocks',
          path: 'term-end',
          vars: { date },
          law: 'Lei 11.788/2008, art. 11',
        },
      ]
    : none;
};

const pay: Rule = ({ isMandatory, grant, transport }) =>
  !isMandatory && (grant === 0 || transport === 0)
    ? [{ rule: 'pay', severity: 'blocks', path: 'grant', vars: {}, law: 'Lei 11.788/2008, art. 12' }]
    : none;

const insurance: Rule = ({ hasInsurance }) =>
  hasInsurance
    ? none
    : [
        {
          rule: 'insurance',
          severity: 'blocks',
          path: 'insurance',
          vars: {},
          law: 'Lei 11.788/2008, art. 9º, IV',
        },
      ];

const MAX_SUPERVISED = 10;

const supervisor: Rule = (_, { supervised = 0 }) =>
  supervised > MAX_SUPERVISED
    ? [
        {
          rule: 'supervisor',
          severity: 'warns',
          path: 'supervisor',
          vars: { most: MAX_SUPERVISED },
          law: 'Lei 11.788/2008, art. 9º, III',
        },
      ]
    : none;

/** Interns at most, by the number of employees; of higher education there is no limit. */
export function maxInterns(employees: number): number {
  if (employees < 1) return 0;
  if (employees <= 5) return 1;
  if (employees <= 10) return 2;
  return employees <= 25 ? 5 : Math.ceil(employees * 0.2);
}

const LIMITED: readonly InternPlan['level'][] = ['fundamental', 'medium'];

const shareOfInterns: Rule = ({ level }, { employees, interns = 1 }) =>
  LIMITED.includes(level) && employees !== undefined && interns > maxInterns(employees)
    ? [
        {
          rule: 'share',
          severity: 'warns',
          path: 'level',
          vars: { most: maxInterns(employees) },
          law: 'Lei 11.788/2008, art. 17',
        },
      ]
    : none;

const recess: Rule = () => [
  { rule: 'recess', severity: 'informs', vars: { days: 30 }, law: 'Lei 11.788/2008, art. 13' },
];

const report: Rule = ({ start }) => [
  {
    rule: 'report',
    severity: 'informs',
    vars: { date: addMonths(start, 6) },
    law: 'Lei 11.788/2008, art. 9º, VII',
  },
];

const event: Rule = ({ start }) => [
  { rule: 'event', severity: 'informs', vars: { date: nextFifteenth(start) }, law: 'eSocial, S-2300' },
];

const RULES: readonly Rule[] = [
  hours,
  term,
  pay,
  insurance,
  supervisor,
  shareOfInterns,
  recess,
  report,
  event,
];
