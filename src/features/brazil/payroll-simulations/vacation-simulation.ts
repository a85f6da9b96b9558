import { bySeverity, type Finding } from '#features/brazil/labor-rules/findings.ts';
import { payTablesOn } from '#features/brazil/labor-rules/tables.ts';
import {
  periodBefore,
  periodFrom,
  lastDayOf,
  type VacationPart,
} from '#features/brazil/labor-rules/vacation.ts';
import {
  estimateVacation,
  paidParts,
  type VacationPay,
} from '#features/brazil/labor-rules/vacation-estimate.ts';
import {
  checkVacation,
  vacationPayDay,
  type VacationRule,
} from '#features/brazil/labor-rules/vacation-rules.ts';
import { calendarOf, movedDay, type WorkCalendar } from '#features/base/work-calendars/calendar.ts';
import { addDays, type Day, type Weekday } from '#features/base/work-calendars/days.ts';

/** A vacation as it is typed: the salary in cents, days as `2026-11-28`. */
export interface VacationInput {
  salary: number;
  admission: Day;
  dependants: number;
  parts: readonly VacationPart[];
  soldDays: number;
  hasThirteenth: boolean;
  absences: number;
  /** The newest complete year of work by default. */
  periodStart?: Day | undefined;
  restDay: Weekday;
}

export interface VacationReceipt extends VacationPart {
  end: Day;
  backOn: Day;
  payBy: Day;
  /** Undefined without the tables of that day. */
  pay: VacationPay | undefined;
}

interface VacationSimulation {
  period: { start: Day; end: Day };
  findings: Finding<VacationRule>[];
  receipts: VacationReceipt[];
}

/** Estimates a vacation part by part, and checks its dates, on a day. */
export function simulateVacation(input: VacationInput, today: Day): VacationSimulation {
  const { admission, absences, soldDays, hasThirteenth, restDay } = input;
  const parts = input.parts.toSorted((one, other) => (one.start < other.start ? -1 : 1));
  const calendar = calendarOf({ restDays: [restDay] });
  const period = input.periodStart
    ? periodFrom(input.periodStart)
    : periodBefore(parts[0]?.start ?? today, admission);
  const plan = { periodStart: period.start, absences, parts, soldDays };
  const facts = { today, calendar, ...(hasThirteenth && { thirteenthAskedOn: today }) };
  const paid = paidParts({ ...input, parts });
  return {
    period,
    findings: bySeverity(checkVacation(plan, facts)),
    receipts: parts.map((part, at) => {
      const payBy = vacationPayDay(part.start, calendar);
      const tables = payTablesOn(part.start, payBy);
      const order = paid[at];
      const end = lastDayOf(part);
      const backOn = movedDay(addDays(end, 1), 'after', (day) => isWorkday(day, calendar));
      return { ...part, end, backOn, payBy, pay: order && tables && estimateVacation(order, tables) };
    }),
  };
}

const isWorkday = (day: Day, { isRestDay, holidayOn }: WorkCalendar): boolean =>
  !isRestDay(day) && holidayOn(day) === undefined;
