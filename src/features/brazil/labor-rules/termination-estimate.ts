import {
  addMonths,
  daysBetween,
  fullYears,
  partsOfDay,
  type Day,
} from '#features/base/work-calendars/days.ts';
import { share, sumOf } from './amounts.ts';
import { totalsOf, type EstimateLine, type Totals } from './estimates.ts';
import { monthsOfYear, monthsSince } from './months.ts';
import type { PayTables } from './tables.ts';
import { inssOf, irrfOf, irrfOfThirteenth, type Withholding } from './taxes.ts';
import {
  balanceDays,
  noticeDays,
  projectedEnd,
  reasonRule,
  type Notice,
  type Reason,
} from './termination.ts';
import { entitledDays } from './vacation.ts';

export type TerminationLine =
  | 'balance'
  | 'notice'
  | 'halfNotice'
  | 'earlyEnd'
  | 'thirteenth'
  | 'thirteenthNext'
  | 'overdueVacation'
  | 'overdueThird'
  | 'doubleVacation'
  | 'proportionalVacation'
  | 'proportionalThird'
  | 'inss'
  | 'irrf'
  | 'inssThirteenth'
  | 'irrfThirteenth'
  | 'thirteenthAdvanced'
  | 'noticeOwed'
  | 'earlyEndOwed'
  | 'fgts'
  | 'fgtsFine';

/** How a contract ends, as far as the amounts depend on it. Amounts are cents. */
export interface TerminationInput {
  /** The salary of a month. */
  salary: number;
  admission: Day;
  lastDay: Day;
  reason: Reason;
  notice: Notice;
  dependants: number;
  /** Days of complete years of work that were not taken, and how many of them are too late and paid double. */
  overdueDays: number;
  doubleDays: number;
  /** Unjustified absences in the year of work that is not complete. */
  absences: number;
  /** What was paid of this year's 13th salary. */
  thirteenthAdvanced: number;
  /** The last day of a fixed term. */
  termEnd?: Day | undefined;
  hasClause?: boolean;
  /** Whether notice that the employee does not work is deducted. */
  deductsNotice: boolean;
  /** The balance of the employee's FGTS account. */
  fgtsBalance?: number | undefined;
}

export interface TerminationPay {
  lines: EstimateLine<TerminationLine>[];
  totals: Totals;
}

type Line = EstimateLine<TerminationLine>;

/**
 * Estimates what is due at the end of a contract. Contribution and tax are of the balance of salary and, by itself, of the
 * 13th salary; notice and vacations that are paid bear neither.
 */
export function estimateTermination(input: TerminationInput, tables: PayTables): TerminationPay {
  const wages = [balanceLine(input), ...noticeLines(input), ...earlyEndLines(input)];
  const thirteenths = thirteenthLines(input);
  const due = [...wages, ...thirteenths, ...vacationLines(input)];
  const held = [...salaryTaxes(input, due, tables), ...thirteenthTaxes(input, thirteenths, tables)];
  const left = Math.max(0, sumOf(due.map(({ cents }) => cents)) - sumOf(held.map(({ cents }) => cents)));
  const lines = [...due, ...held, ...claims(input, left), ...fgtsLines(input, due)];
  return { lines, totals: totalsOf(lines) };
}

const line = (
  key: TerminationLine,
  kind: Line['kind'],
  cents: number,
  { vars = {}, law }: { vars?: Line['vars']; law: string },
): Line => ({ key, kind, cents, vars, law });

function balanceLine({ salary, admission, lastDay }: TerminationInput): Line {
  const days = balanceDays(admission, lastDay);
  const vars = { salaryCents: salary, days };
  return line('balance', 'due', share(salary, days, 30), { vars, law: 'CLT, art. 477' });
}

function noticeLines(input: TerminationInput): Line[] {
  const { salary, admission, lastDay, reason, hasClause, notice } = input;
  const rule = reasonRule(reason, hasClause);
  if (notice !== 'paid' || rule.notice === 0) return [];
  const days = noticeDays(admission, lastDay);
  const key = rule.notice === 1 ? 'halfNotice' : 'notice';
  const vars = { salaryCents: salary, days };
  const law = key === 'notice' ? 'CLT, art. 487, § 1º; Lei 12.506/2011' : rule.law;
  return [line(key, 'due', share(salary, days * rule.notice, 60), { vars, law })];
}

/** Half of the salary until the end of a fixed term (CLT, arts. 479 and 480). */
export const earlyEndCents = (salary: number, days: number): number => share(salary, days, 60);

function earlyEndLines({ salary, lastDay, reason, termEnd, hasClause }: TerminationInput): Line[] {
  if (reasonRule(reason, hasClause).earlyBy !== 'employer') return [];
  const days = daysLeft(lastDay, termEnd);
  const vars = { salaryCents: salary, days };
  return days === 0
    ? []
    : [line('earlyEnd', 'due', earlyEndCents(salary, days), { vars, law: 'CLT, art. 479' })];
}

const daysLeft = (lastDay: Day, termEnd: Day = lastDay): number => Math.max(0, daysBetween(lastDay, termEnd));

/** The 13th salary of the year, and of the next one if the notice ends in it. */
function thirteenthLines(input: TerminationInput): Line[] {
  const { salary, admission, lastDay, reason, hasClause } = input;
  const { proportional } = reasonRule(reason, hasClause);
  const end = projectedEnd(input);
  const { year } = partsOfDay(lastDay);
  return (
    [
      [year, 'thirteenth'],
      [year + 1, 'thirteenthNext'],
    ] as const
  ).flatMap(([of, key]) => {
    const months = monthsOfYear(of, admission, end);
    if (months === 0 || proportional === 0) return [];
    const vars = { salaryCents: salary, months, year: of };
    return [
      line(key, 'due', share(salary, months * proportional, 24), {
        vars,
        law: 'Lei 4.090/1962, arts. 1º e 3º',
      }),
    ];
  });
}

function vacationLines(input: TerminationInput): Line[] {
  const { salary, overdueDays, doubleDays } = input;
  const overdue = share(salary, overdueDays, 30);
  return [
    ...(overdueDays > 0
      ? [
          line('overdueVacation', 'due', overdue, {
            vars: { salaryCents: salary, days: overdueDays },
            law: 'CLT, art. 146',
          }),
          line('overdueThird', 'due', share(salary, overdueDays, 90), {
            vars: { baseCents: overdue },
            law: 'CF, art. 7º, XVII; Súmula 328 do TST',
          }),
        ]
      : []),
    ...(doubleDays > 0
      ? [
          line('doubleVacation', 'due', share(salary, doubleDays * 4, 90), {
            vars: { salaryCents: salary, days: doubleDays },
            law: 'CLT, art. 137; Súmula 81 do TST',
          }),
        ]
      : []),
    ...proportionalVacation(input),
  ];
}

/** The vacation of the year of work that is not complete: from the last anniversary before the last day. */
function proportionalVacation(input: TerminationInput): Line[] {
  const { salary, absences, reason, hasClause } = input;
  const { proportional } = reasonRule(reason, hasClause);
  const months = vacationMonths(input);
  const days = entitledDays(absences);
  if (months === 0 || proportional === 0 || days === 0) return [];
  const base = share(salary, months * days * proportional, 720);
  return [
    line('proportionalVacation', 'due', base, {
      vars: { salaryCents: salary, months, days },
      law: proportional === 1 ? 'Súmula 14 do TST' : 'CLT, arts. 146 e 147; Súmula 261 do TST',
    }),
    line('proportionalThird', 'due', share(salary, months * days * proportional, 2160), {
      vars: { baseCents: base },
      law: 'CF, art. 7º, XVII; Súmula 328 do TST',
    }),
  ];
}

/** Months of the vacation that is not complete, with the notice that is paid. */
function vacationMonths(
  input: Pick<TerminationInput, 'admission' | 'lastDay'> & Parameters<typeof projectedEnd>[0],
): number {
  const anniversary = addMonths(input.admission, fullYears(input.admission, input.lastDay) * 12);
  return monthsSince(anniversary, projectedEnd(input));
}

function salaryTaxes(
  { dependants }: TerminationInput,
  due: readonly Line[],
  { inss, irrf }: PayTables,
): Line[] {
  const gross = centsOf(due, 'balance');
  const contribution = inssOf(gross, inss);
  const tax = irrfOf({ gross, inss: contribution, dependants }, irrf);
  return [
    line('inss', 'deducted', contribution, { vars: { baseCents: gross }, law: inss.source }),
    line('irrf', 'deducted', tax.withheld, { vars: taxVars(tax), law: irrf.source }),
  ];
}

function thirteenthTaxes(
  { dependants, thirteenthAdvanced }: TerminationInput,
  thirteenths: readonly Line[],
  { inss, irrf }: PayTables,
): Line[] {
  const gross = sumOf(thirteenths.map(({ cents }) => cents));
  if (gross === 0) return [];
  const contribution = inssOf(gross, inss);
  const tax = irrfOfThirteenth({ gross, inss: contribution, dependants }, irrf);
  const advanced = Math.min(thirteenthAdvanced, gross - contribution - tax.withheld);
  return [
    line('inssThirteenth', 'deducted', contribution, { vars: { baseCents: gross }, law: inss.source }),
    line('irrfThirteenth', 'deducted', tax.withheld, {
      vars: taxVars(tax),
      law: 'Lei 9.250/1995, art. 3º-A, § 3º',
    }),
    ...(advanced > 0
      ? [line('thirteenthAdvanced', 'deducted', advanced, { law: 'Lei 4.749/1965, art. 3º' })]
      : []),
  ];
}

const taxVars = ({ base, tax, reduction }: Withholding): Line['vars'] => ({
  baseCents: base,
  taxCents: tax,
  reductionCents: reduction,
});

/** What the employer may claim: notice that was not worked, and the early end of a fixed term. Never more than is left. */
function claims(input: TerminationInput, left: number): Line[] {
  const { salary, lastDay, reason, notice, termEnd, hasClause, deductsNotice } = input;
  const { earlyBy } = reasonRule(reason, hasClause);
  const days = daysLeft(lastDay, termEnd);
  if (notice === 'notWorked')
    return [
      deductsNotice
        ? line('noticeOwed', 'deducted', Math.min(salary, left), {
            vars: { days: 30 },
            law: 'CLT, art. 487, § 2º',
          })
        : line('noticeOwed', 'noted', salary, { vars: { days: 30 }, law: 'CLT, art. 487, § 2º' }),
    ];
  return earlyBy === 'employee' && days > 0
    ? [
        line('earlyEndOwed', 'noted', earlyEndCents(salary, days), {
          vars: { salaryCents: salary, days },
          law: 'CLT, art. 480',
        }),
      ]
    : [];
}

const FGTS_BASES: readonly TerminationLine[] = [
  'balance',
  'notice',
  'halfNotice',
  'thirteenth',
  'thirteenthNext',
];

/** The deposit of FGTS, and the fine on the balance with it; both go to the account, not to the employee. */
function fgtsLines({ reason, hasClause, fgtsBalance }: TerminationInput, due: readonly Line[]): Line[] {
  const base = sumOf(due.filter(({ key }) => FGTS_BASES.includes(key)).map(({ cents }) => cents));
  const deposit = share(base, 8, 100);
  const { fine } = reasonRule(reason, hasClause);
  const all = (fgtsBalance ?? 0) + deposit;
  return [
    line('fgts', 'noted', deposit, { vars: { baseCents: base }, law: 'Lei 8.036/1990, art. 15' }),
    ...(fine > 0 && fgtsBalance !== undefined
      ? [
          line('fgtsFine', 'noted', share(all, fine, 100), {
            vars: { baseCents: all, percent: fine },
            law: 'Lei 8.036/1990, art. 18',
          }),
        ]
      : []),
  ];
}

const centsOf = (lines: readonly Line[], key: TerminationLine): number =>
  lines.find((each) => each.key === key)?.cents ?? 0;
