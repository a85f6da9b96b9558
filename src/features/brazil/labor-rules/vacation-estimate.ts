import { dayOfParts, partsOfDay, type Day } from '#features/base/work-calendars/days.ts';
import { share } from './amounts.ts';
import { monthsOfYear } from './months.ts';
import { totalsOf, type EstimateLine, type Totals } from './estimates.ts';
import type { PayTables } from './tables.ts';
import { inssOf, irrfOf } from './taxes.ts';
import type { VacationPart } from './vacation.ts';

export type VacationLine =
  'vacation' | 'third' | 'sold' | 'soldThird' | 'thirteenthAdvance' | 'inss' | 'irrf';

export interface VacationPay {
  lines: EstimateLine<VacationLine>[];
  totals: Totals;
}

interface PaidPart {
  salary: number;
  days: number;
  /** Days that are sold, and paid with this part. */
  soldDays: number;
  dependants: number;
  /** Months of which half a salary is paid in advance. */
  thirteenthMonths: number;
}

/**
 * Estimates the pay of one part of a vacation, for a monthly salary in cents. The tax is computed for the vacation by
 * itself, apart from the month's salary; what is sold, and its third, bears neither contribution nor tax.
 */
export function estimateVacation(
  { salary, days, soldDays, dependants, thirteenthMonths }: PaidPart,
  { inss, irrf }: PayTables,
): VacationPay {
  const vacation = share(salary, days, 30);
  const third = share(salary, days, 90);
  const sold = share(salary, soldDays, 30);
  const gross = vacation + third;
  const contribution = inssOf(gross, inss);
  const tax = irrfOf({ gross, inss: contribution, dependants }, irrf);
  const salaryCents = salary;
  const due = (key: VacationLine, cents: number, vars: EstimateLine['vars'], law: string) =>
    ({ key, kind: 'due', cents, vars, law }) as const;
  const lines: EstimateLine<VacationLine>[] = [
    due('vacation', vacation, { salaryCents, days }, 'CLT, arts. 129 e 142'),
    due('third', third, { baseCents: vacation }, 'CF, art. 7º, XVII'),
    ...(soldDays > 0
      ? [
          due('sold', sold, { salaryCents, days: soldDays }, 'CLT, art. 143'),
          due('soldThird', share(salary, soldDays, 90), { baseCents: sold }, 'CF, art. 7º, XVII'),
        ]
      : []),
    ...(thirteenthMonths > 0
      ? [
          due(
            'thirteenthAdvance',
            share(salary, thirteenthMonths, 24),
            { salaryCents, months: thirteenthMonths },
            'Lei 4.749/1965, art. 2º',
          ),
        ]
      : []),
    {
      key: 'inss',
      kind: 'deducted',
      cents: contribution,
      vars: { baseCents: gross },
      law: `${inss.source}; STF, Tema 985`,
    },
    {
      key: 'irrf',
      kind: 'deducted',
      cents: tax.withheld,
      vars: { baseCents: tax.base, taxCents: tax.tax, reductionCents: tax.reduction },
      law: `${irrf.source}; Decreto 9.580/2018, art. 682`,
    },
  ];
  return { lines, totals: totalsOf(lines) };
}

interface VacationOrder {
  salary: number;
  dependants: number;
  parts: readonly VacationPart[];
  soldDays: number;
  hasThirteenth: boolean;
  admission: Day;
}

/** The parts of a vacation as they are paid: what is sold, and the half of the 13th salary, with the first one. */
export const paidParts = ({ parts, soldDays, hasThirteenth, admission, ...pay }: VacationOrder): PaidPart[] =>
  parts.map(({ start, days }, at) => ({
    ...pay,
    days,
    soldDays: at === 0 ? soldDays : 0,
    thirteenthMonths: at === 0 && hasThirteenth ? thirteenthMonthsAt(start, admission) : 0,
  }));

/** Half a salary is 12 months; of somebody admitted in the same year, the months until then (Decreto 57.155/1965, art. 3º). */
function thirteenthMonthsAt(start: Day, admission: Day): number {
  const { year } = partsOfDay(start);
  return admission < dayOfParts(year, 1, 1) ? 12 : monthsOfYear(year, admission, start);
}
