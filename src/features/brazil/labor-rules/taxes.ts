import { rounded } from './amounts.ts';
import type { InssTable, IrrfTable } from './tables.ts';

/** The contribution of an employee to social security: the sum of the bands, rounded once. In cents. */
export function inssOf(cents: number, { bands }: InssTable): number {
  const parts = bands.map(({ upTo, rate }, at) => {
    const from = bands[at - 1]?.upTo ?? 0;
    return Math.max(0, Math.min(cents, upTo) - from) * rate;
  });
  return rounded(
    parts.reduce((sum, part) => sum + part, 0),
    10_000,
  );
}

export interface Withholding {
  /** What the rate applies to. */
  base: number;
  /** By the table, before the reduction. */
  tax: number;
  reduction: number;
  withheld: number;
  isSimplified: boolean;
}

interface TaxedPay {
  gross: number;
  inss: number;
  dependants: number;
}

/** The tax of a month's pay, or of a vacation: the larger of the legal and the simplified deduction counts. In cents. */
export function irrfOf(pay: TaxedPay, table: IrrfTable): Withholding {
  const legal = legalDeductions(pay, table);
  const isSimplified = table.simplifiedDeduction > legal;
  const taxed = taxOn(pay.gross, isSimplified ? table.simplifiedDeduction : legal, table);
  const withheld = taxed.withheld > table.notWithheldUpTo ? taxed.withheld : 0; // Lei 9.430/1996, art. 67
  return { ...taxed, withheld, isSimplified };
}

/** The tax of a 13th salary: by itself, without the simplified deduction (Lei 9.250/1995, art. 3º-A, § 3º). In cents. */
export const irrfOfThirteenth = (pay: TaxedPay, table: IrrfTable): Withholding => ({
  ...taxOn(pay.gross, legalDeductions(pay, table), table),
  isSimplified: false,
});

const legalDeductions = ({ inss, dependants }: TaxedPay, { dependant }: IrrfTable): number =>
  inss + dependants * dependant;

function taxOn(gross: number, deductions: number, table: IrrfTable): Omit<Withholding, 'isSimplified'> {
  const base = Math.max(0, gross - deductions);
  const band = table.bands.find(({ upTo }) => upTo === undefined || base <= upTo);
  const tax = band ? Math.max(0, rounded(base * band.rate - band.deduct * 10_000, 10_000)) : 0;
  const reduction = Math.min(tax, reductionOn(gross, table));
  return { base, tax, reduction, withheld: tax - reduction };
}

/** What Lei 15.270/2025 forgives at most: by the gross taxable income, before deductions. */
function reductionOn(gross: number, { reduction }: IrrfTable): number {
  if (gross <= reduction.wholeUpTo) return reduction.max;
  if (gross > reduction.upTo) return 0;
  return Math.max(0, rounded(reduction.from * 1_000_000 - reduction.perMillion * gross, 1_000_000));
}
