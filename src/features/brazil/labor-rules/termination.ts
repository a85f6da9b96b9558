import { addDays, daysInMonth, fullYears, partsOfDay, type Day } from '#features/base/work-calendars/days.ts';

/* How a contract ends: its reasons, and the days of notice. */

/** Reasons by the code of eSocial's table 19: those whose dues are estimated. */
export const REASONS = ['01', '02', '03', '04', '05', '06', '07', '10', '17', '33'] as const;
export type Reason = (typeof REASONS)[number];

/**
 * Notice that the employer pays instead, that was worked, that the employee did not work, from which the employee was
 * released, or that the reason does not have.
 */
export const NOTICES = ['paid', 'worked', 'notWorked', 'released', 'none'] as const;
export type Notice = (typeof NOTICES)[number];

interface ReasonRule {
  /** How notice may end it. With a clause of early ending, reasons of a fixed term have that of the others. */
  notices: readonly Notice[];
  /** What is due of notice, in halves. */
  notice: 0 | 1 | 2;
  /** The 13th salary and the vacation of the year that is not complete, in halves. */
  proportional: 0 | 1 | 2;
  /** The fine on the balance of FGTS, in percent. */
  fine: 0 | 20 | 40;
  /** The term was to end later, and who ends it before. */
  earlyBy?: 'employer' | 'employee';
  law: string;
}

const BY_EMPLOYER: readonly Notice[] = ['paid', 'worked'];
const BY_EMPLOYEE: readonly Notice[] = ['worked', 'notWorked', 'released'];
const NO_NOTICE: readonly Notice[] = ['none'];

const RULES: Readonly<Record<Reason, ReasonRule>> = {
  '01': { notices: NO_NOTICE, notice: 0, proportional: 0, fine: 0, law: 'CLT, art. 482' },
  '02': { notices: BY_EMPLOYER, notice: 2, proportional: 2, fine: 40, law: 'CLT, art. 477' },
  '03': {
    notices: NO_NOTICE,
    notice: 0,
    proportional: 2,
    fine: 40,
    earlyBy: 'employer',
    law: 'CLT, art. 479',
  },
  '04': {
    notices: NO_NOTICE,
    notice: 0,
    proportional: 2,
    fine: 0,
    earlyBy: 'employee',
    law: 'CLT, art. 480',
  },
  '05': {
    notices: BY_EMPLOYER,
    notice: 1,
    proportional: 1,
    fine: 20,
    law: 'CLT, art. 484; Súmula 14 do TST',
  },
  '06': { notices: NO_NOTICE, notice: 0, proportional: 2, fine: 0, law: 'CLT, art. 443' },
  '07': { notices: BY_EMPLOYEE, notice: 0, proportional: 2, fine: 0, law: 'CLT, art. 487' },
  '10': { notices: NO_NOTICE, notice: 0, proportional: 2, fine: 0, law: 'Lei 6.858/1980' },
  '17': { notices: BY_EMPLOYER, notice: 2, proportional: 2, fine: 40, law: 'CLT, art. 483' },
  '33': { notices: BY_EMPLOYER, notice: 1, proportional: 2, fine: 20, law: 'CLT, art. 484-A' },
};

/** The rule of a reason; a clause of early ending makes one of a fixed term like a dismissal or a resignation (art. 481). */
export function reasonRule(reason: Reason, hasClause = false): ReasonRule {
  const { earlyBy } = RULES[reason];
  if (earlyBy === undefined || !hasClause) return RULES[reason];
  return earlyBy === 'employer' ? RULES['02'] : RULES['07'];
}

const NOTICE = 30;
const PER_YEAR = 3;
const MAX_NOTICE = 90;

/** Days of notice that the employer gives: 30, and 3 for each complete year, at most 90 (Lei 12.506/2011). */
export const noticeDays = (admission: Day, noticeOn: Day): number =>
  Math.min(MAX_NOTICE, NOTICE + PER_YEAR * fullYears(admission, noticeOn));

interface Ending {
  admission: Day;
  lastDay: Day;
  reason: Reason;
  notice: Notice;
  hasClause?: boolean;
}

/** Days of notice that are paid and not worked: of half a notice, whole days only are counted. */
function paidNoticeDays({ admission, lastDay, reason, notice, hasClause }: Ending): number {
  const { notice: halves } = reasonRule(reason, hasClause);
  return notice === 'paid' ? Math.floor((noticeDays(admission, lastDay) * halves) / 2) : 0;
}

/** The end of the contract with the notice that is paid, which counts for the 13th salary and vacations (art. 487, § 1º). */
export const projectedEnd = (ending: Ending): Day => addDays(ending.lastDay, paidNoticeDays(ending));

/** Days of salary of the last month: a month has 30. */
export function balanceDays(admission: Day, lastDay: Day): number {
  const { year, month, day } = partsOfDay(lastDay);
  const first = admission.slice(0, 7) === lastDay.slice(0, 7) ? partsOfDay(admission).day : 1;
  return first === 1 && day === daysInMonth(year, month) ? 30 : Math.min(30, day - first + 1);
}
