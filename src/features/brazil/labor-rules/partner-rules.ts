import type { Day } from '#features/base/work-calendars/days.ts';
import { rounded } from './amounts.ts';
import { nextFifteenth } from './deadlines.ts';
import type { Finding } from './findings.ts';
import { INSS_TABLES, minimumWageOn, tableOn } from './tables.ts';

/* The rules of a partner or other individual contributor before they are sent. */

export type PartnerRule = 'minimum' | 'ceiling' | 'none' | 'event';

export interface PartnerPlan {
  start: Day;
  /** In cents, by month; undefined without one. */
  proLabore?: number;
  isAdministrator: boolean;
  /** What other sources pay, on which they deduct the contribution. */
  otherPay?: number;
}

const RATE = 11;

/**
 * The contribution that is deducted from a partner's pay: 11 % up to the ceiling, less what other sources use of it.
 * Undefined without the table of that day. In cents.
 */
export function partnerContribution(proLabore: number, day: Day, otherPay = 0): number | undefined {
  const ceiling = tableOn(INSS_TABLES, day)?.bands.at(-1)?.upTo;
  if (ceiling === undefined) return undefined;
  return rounded(Math.min(proLabore, Math.max(0, ceiling - otherPay)) * RATE, 100);
}

/** Checks a partner by every rule. */
export function checkPartner(plan: PartnerPlan): Finding<PartnerRule>[] {
  const { start, proLabore, isAdministrator, otherPay = 0 } = plan;
  const minimum = minimumWageOn(start);
  const findings: (Finding<PartnerRule> | false)[] = [
    proLabore !== undefined &&
      minimum !== undefined &&
      proLabore < minimum && {
        rule: 'minimum',
        severity: 'warns',
        path: 'value',
        vars: { minimumCents: minimum },
        law: 'Lei 8.212/1991, art. 28, § 3º',
      },
    proLabore !== undefined &&
      otherPay > 0 && {
        rule: 'ceiling',
        severity: 'informs',
        path: 'other-sources',
        vars: {},
        law: 'Lei 8.212/1991, art. 28, § 5º',
      },
    proLabore === undefined &&
      isAdministrator && {
        rule: 'none',
        severity: 'warns',
        path: 'pro-labore',
        vars: {},
        law: 'Lei 8.212/1991, art. 12, V, f',
      },
    {
      rule: 'event',
      severity: 'informs',
      path: 'start',
      vars: { date: nextFifteenth(start) },
      law: 'eSocial, S-2300',
    },
  ];
  return findings.filter((finding) => finding !== false);
}
