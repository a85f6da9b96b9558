import { bySeverity, type Finding } from '#features/brazil/labor-rules/findings.ts';
import { payTablesOn } from '#features/brazil/labor-rules/tables.ts';
import { projectedEnd } from '#features/brazil/labor-rules/termination.ts';
import {
  estimateTermination,
  type TerminationInput as PayInput,
  type TerminationPay,
} from '#features/brazil/labor-rules/termination-estimate.ts';
import {
  checkTermination,
  terminationPayDay,
  type TerminationFacts,
  type TerminationPlan,
  type TerminationRule,
} from '#features/brazil/labor-rules/termination-rules.ts';
import { calendarOf } from '#features/base/work-calendars/calendar.ts';
import type { Day } from '#features/base/work-calendars/days.ts';

/** The end of a contract as it is typed: amounts in cents, days as `2026-11-28`. */
export interface TerminationInput
  extends
    Omit<PayInput, 'thirteenthAdvanced'>,
    Pick<TerminationPlan, 'noticeOn' | 'stabilities' | 'baseMonth'> {
  thirteenthAdvanced: number | undefined;
  away: 'no' | NonNullable<TerminationFacts['away']>;
}

interface TerminationSimulation {
  projectedEnd: Day;
  payBy: Day;
  findings: Finding<TerminationRule>[];
  /** Undefined without the tables of the last day. */
  pay: TerminationPay | undefined;
}

/** Estimates what is due at the end of a contract, and checks its dates, on a day. */
export function simulateTermination(input: TerminationInput, today: Day): TerminationSimulation {
  const { lastDay, away, thirteenthAdvanced = 0 } = input;
  const calendar = calendarOf();
  const tables = payTablesOn(lastDay);
  const facts = { today, calendar, ...(away !== 'no' && { away }) };
  return {
    projectedEnd: projectedEnd(input),
    payBy: terminationPayDay(lastDay, calendar),
    findings: bySeverity(checkTermination(input, facts)),
    pay: tables && estimateTermination({ ...input, thirteenthAdvanced }, tables),
  };
}
