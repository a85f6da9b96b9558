import { movedDay, type WorkCalendar } from '#features/base/work-calendars/calendar.ts';
import { addDays, daysBetween, laterOf, type Day } from '#features/base/work-calendars/days.ts';
import { sumOf } from './amounts.ts';
import { nextFifteenth } from './deadlines.ts';
import type { Finding } from './findings.ts';

/* The rules of a leave before it is sent, by the reasons of eSocial's table 18. What is not known is no finding. */

export type LeaveRule =
  'L1' | 'L2' | 'L3' | 'L4' | 'L5' | 'L6' | 'L7' | 'L8' | 'L9' | 'L10' | 'L11' | 'L12' | 'L13';

/** Illness or accident: at work, and not at work. */
const WORK_ACCIDENT = '01';
const ILLNESS = '03';
const MATERNITY = '17';

export interface LeavePlan {
  /** A code of table 18. */
  reason: string;
  start: Day;
  /** Undefined while nobody knows. */
  end?: Day;
  /** Whether the reason is that of the leaves before. */
  isSameReason?: boolean;
  text?: string;
  union?: string;
  isInProgram?: boolean;
  /** Of a birth. */
  birthOn?: Day;
  dischargedOn?: Day;
  /** Of an accident at work. */
  accidentOn?: Day;
  isDeath?: boolean;
  isReported?: boolean;
}

export interface LeaveFacts {
  today: Day;
  calendar: WorkCalendar;
  /** Earlier leaves for illness, the newest last. `benefitFrom` if social security paid. */
  earlier?: readonly { start: Day; end: Day; benefitFrom?: Day }[];
  /** Other leaves and vacations. */
  busy?: readonly { start: Day; end: Day }[];
}

type Rule = (plan: LeavePlan, facts: LeaveFacts) => Finding<LeaveRule>[];

/** Checks a leave by every rule, in their order. */
export const checkLeave: Rule = (plan, facts) => RULES.flatMap((rule) => rule(plan, facts));

const none: Finding<LeaveRule>[] = [];

const EMPLOYER_DAYS = 15;
const AGAIN_WITHIN = 60;

const isIllness = ({ reason }: LeavePlan): boolean => reason === WORK_ACCIDENT || reason === ILLNESS;

interface PaidDays {
  /** Days that the employer still pays, and the first day of the benefit. */
  employerDays: number;
  benefitFrom: Day;
  /** Whether days of an earlier leave count. */
  isContinued: boolean;
}

/** Who pays a leave for illness: the first 15 days of the same reason within 60 days are the employer's. */
export function paidByEmployer(plan: LeavePlan, { earlier = [] }: LeaveFacts): PaidDays {
  const last = earlier.at(-1);
  const isContinued =
    plan.isSameReason !== false &&
    last !== undefined &&
    last.end < plan.start &&
    daysBetween(addDays(last.end, 1), plan.start) <= AGAIN_WITHIN;
  const used = isContinued
    ? Math.min(
        EMPLOYER_DAYS,
        sumOf(chain(earlier).map(({ start, end }) => Math.max(0, daysBetween(start, end) + 1))),
      )
    : 0;
  const employerDays = last?.benefitFrom !== undefined && isContinued ? 0 : EMPLOYER_DAYS - used;
  return { employerDays, benefitFrom: addDays(plan.start, employerDays), isContinued };
}

/** The newest leaves that follow each other within 60 days. */
function chain(earlier: NonNullable<LeaveFacts['earlier']>): NonNullable<LeaveFacts['earlier']> {
  const breaks = earlier.map(({ start }, at) => {
    const before = earlier[at - 1];
    return before === undefined || daysBetween(addDays(before.end, 1), start) > AGAIN_WITHIN;
  });
  return earlier.slice(breaks.lastIndexOf(true));
}

const L1: Rule = (plan, facts) => {
  const { isContinued, benefitFrom, employerDays } = paidByEmployer(plan, facts);
  return !isIllness(plan) || isContinued
    ? none
    : [
        {
          rule: 'L1',
          severity: 'informs',
          path: 'end',
          vars: { days: employerDays, date: benefitFrom },
          law: 'Lei 8.213/1991, art. 60, § 3º',
        },
      ];
};

const L2: Rule = (plan, facts) => {
  const { isContinued, benefitFrom, employerDays } = paidByEmployer(plan, facts);
  return isIllness(plan) && isContinued
    ? [
        {
          rule: 'L2',
          severity: 'informs',
          path: 'previous',
          vars: { days: employerDays, date: benefitFrom },
          law: 'Decreto 3.048/1999, art. 75',
        },
      ]
    : none;
};

/** By when the event of a leave is sent; undefined if it need not be. */
export function leaveEventDue(plan: LeavePlan, facts: LeaveFacts): Day | undefined {
  const { reason, start, end } = plan;
  if (!isIllness(plan)) return nextFifteenth(start);
  const { isContinued, employerDays } = paidByEmployer(plan, facts);
  if (isContinued && employerDays === 0) return start;
  const days = end === undefined ? Infinity : daysBetween(start, end) + 1;
  if (days > employerDays) return addDays(start, employerDays);
  return reason === WORK_ACCIDENT || isContinued ? nextFifteenth(start) : undefined;
}

const L3: Rule = (plan, facts) => {
  const date = leaveEventDue(plan, facts);
  return date === undefined
    ? none
    : [
        {
          rule: 'L3',
          severity: date < facts.today ? 'warns' : 'informs',
          path: 'start',
          vars: { date },
          law: 'eSocial, S-2230',
        },
      ];
};

const L4: Rule = (plan, { today, calendar }) => {
  const { reason, start, accidentOn = start, isDeath = false, isReported = false } = plan;
  if (reason !== WORK_ACCIDENT || isReported) return none;
  const date = isDeath ? accidentOn : movedDay(addDays(accidentOn, 1), 'after', calendar.isBankDay);
  return [
    {
      rule: 'L4',
      severity: date < today ? 'confirm' : 'warns',
      path: 'accidentOn',
      vars: { date },
      law: 'Lei 8.213/1991, art. 22',
    },
  ];
};

const RETURN_EXAM = 30;

const L5: Rule = (plan) => examAfter(plan, 'end');

function examAfter(
  { reason, start, end }: Pick<LeavePlan, 'reason' | 'start' | 'end'>,
  path: string,
): Finding<LeaveRule>[] {
  const isLong = end !== undefined && daysBetween(start, end) + 1 >= RETURN_EXAM;
  return isLong && [WORK_ACCIDENT, ILLNESS, MATERNITY].includes(reason)
    ? [{ rule: 'L5', severity: 'warns', path, vars: { date: addDays(end, 1) }, law: 'NR-7, 7.5.9' }]
    : none;
}

const MATERNITY_DAYS = 120;
const LONG_STAY = 14;

/**
 * The last day of a maternity leave: 120 days. After a stay in hospital of more than two weeks they begin with the discharge,
 * less the days before the birth.
 */
export function maternityEnd({ start, birthOn = start, dischargedOn }: LeavePlan): Day {
  const isLongStay = dischargedOn !== undefined && daysBetween(birthOn, dischargedOn) > LONG_STAY;
  if (!isLongStay) return addDays(start, MATERNITY_DAYS - 1);
  const before = Math.max(0, daysBetween(start, birthOn));
  return laterOf(addDays(start, MATERNITY_DAYS - 1), addDays(dischargedOn, MATERNITY_DAYS - before));
}

const L6: Rule = (plan) =>
  plan.reason === MATERNITY
    ? [
        {
          rule: 'L6',
          severity: 'informs',
          path: 'end',
          vars: { date: maternityEnd(plan) },
          law: 'CLT, art. 392, §§ 1º e 7º; Lei 15.222/2025',
        },
      ]
    : none;

const OF_THE_PROGRAM = ['18', '33'];

const L7: Rule = ({ reason, isInProgram = false }) =>
  OF_THE_PROGRAM.includes(reason) && !isInProgram
    ? [{ rule: 'L7', severity: 'warns', path: 'reason', vars: {}, law: 'Lei 11.770/2008' }]
    : none;

interface PaternityRow {
  validFrom: Day;
  days: number;
  source: string;
  confirmed: boolean;
}

/** Days of paternity leave by the day of birth; a row that nobody has confirmed changes nothing. */
const PATERNITY: readonly PaternityRow[] = [
  { validFrom: '1988-10-05', days: 5, source: 'ADCT, art. 10, § 1º', confirmed: true },
  { validFrom: '2027-01-01', days: 10, source: 'approved by the Senate on 2026-03-04', confirmed: false },
];

export const paternityDays = (birthOn: Day): number =>
  PATERNITY.findLast(({ validFrom, confirmed }) => confirmed && validFrom <= birthOn)?.days ?? 0;

const LICENCE = '16';

const L8: Rule = ({ reason, birthOn }) =>
  reason === LICENCE && birthOn !== undefined
    ? [
        {
          rule: 'L8',
          severity: 'informs',
          path: 'end',
          vars: { days: paternityDays(birthOn) },
          law: 'ADCT, art. 10, § 1º',
        },
      ]
    : none;

/** How many days before it begins a leave may be sent: maternity extension and vacations only. */
const AHEAD: Readonly<Record<string, number>> = { '18': 120, '15': 60 };

const L9: Rule = ({ reason, start }, { today }) => {
  const ahead = AHEAD[reason] ?? 0;
  const date = addDays(start, -ahead);
  return date > today
    ? [{ rule: 'L9', severity: 'informs', path: 'start', vars: { date }, law: 'eSocial, S-2230' }]
    : none;
};

const L10: Rule = ({ reason, text = '', union = '' }) =>
  (reason === '21' && text.trim() === '') || (reason === '24' && union === '')
    ? [
        {
          rule: 'L10',
          severity: 'blocks',
          path: reason === '21' ? 'text' : 'union',
          vars: {},
          law: 'eSocial, S-2230',
        },
      ]
    : none;

const L11: Rule = ({ start, end }, { busy = [] }) => {
  const overlaps = busy.some((other) => start <= other.end && (end === undefined || other.start <= end));
  return overlaps
    ? [{ rule: 'L11', severity: 'blocks', path: 'start', vars: { date: start }, law: 'eSocial, S-2230' }]
    : none;
};

const RULES: readonly Rule[] = [L1, L2, L3, L4, L5, L6, L7, L8, L9, L10, L11];

/** A leave that may end: without a last day, or with one that is not over. */
interface OpenLeave {
  reason: string;
  start: Day;
  end?: Day;
}

/** The leave from which somebody returns on a day: the newest that has begun before and does not end earlier. */
export const leaveEndedBy = <Leave extends { startsOn: Day; endsOn: Day }>(
  leaves: readonly Leave[],
  returnedOn: Day,
): Leave | undefined =>
  leaves
    .toSorted((one, other) => (one.startsOn < other.startsOn ? 1 : -1))
    .find(
      ({ startsOn, endsOn }) => startsOn < returnedOn && (endsOn === '' || endsOn >= addDays(returnedOn, -1)),
    );

/** Checks a return to work: from what, by when it is reported, and the exam before it. */
export function checkReturn(
  returnedOn: Day,
  { today, leave }: { today: Day; leave: OpenLeave | undefined },
): Finding<LeaveRule>[] {
  const law = 'eSocial, S-2230';
  if (!leave)
    return [{ rule: 'L12', severity: 'confirm', path: 'returnedOn', vars: { date: returnedOn }, law }];
  const date = nextFifteenth(returnedOn);
  return [
    { rule: 'L13', severity: date < today ? 'warns' : 'informs', path: 'returnedOn', vars: { date }, law },
    ...examAfter({ ...leave, end: addDays(returnedOn, -1) }, 'returnedOn'),
  ];
}
