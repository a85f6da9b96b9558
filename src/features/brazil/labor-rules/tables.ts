import type { Day } from '#features/base/work-calendars/days.ts';

/*
 * The tables of contributions, income tax and minimum wage by the time in which they are valid. A day without a confirmed
 * table has no number. Amounts are in cents, rates in hundredths of a percent.
 */

interface Validity {
  validFrom: Day;
  validTo: Day;
  source: string;
  /** False until somebody has compared it with the source. */
  confirmed: boolean;
}

interface Band {
  /** The last amount of the band; absent in the last band of the tax. */
  upTo?: number;
  rate: number;
}

/** The contribution of employees: each band applies to its part of the pay, up to the end of the last one. */
export interface InssTable extends Validity {
  bands: readonly Required<Band>[];
}

/** The tax of a month: the rate on the whole base, less the amount to deduct. */
export interface IrrfTable extends Validity {
  bands: readonly (Band & { deduct: number })[];
  dependant: number;
  simplifiedDeduction: number;
  /** No more than this is forgiven (Lei 15.270/2025): all of it up to an income, then less with each real, up to another. */
  reduction: { max: number; wholeUpTo: number; upTo: number; from: number; perMillion: number };
  /** Up to this amount nothing is withheld, but for the 13th salary. */
  notWithheldUpTo: number;
}

/** The minimum wage of a month. */
interface MinimumWage extends Validity {
  month: number;
}

const YEAR_2026 = { validFrom: '2026-01-01', validTo: '2026-12-31', confirmed: true };

export const INSS_TABLES: readonly InssTable[] = [
  {
    ...YEAR_2026,
    source: 'Portaria Interministerial MPS/MF 13/2026',
    bands: [
      { upTo: 162_100, rate: 750 },
      { upTo: 290_284, rate: 900 },
      { upTo: 435_427, rate: 1200 },
      { upTo: 847_555, rate: 1400 },
    ],
  },
];

const IRRF_TABLES: readonly IrrfTable[] = [
  {
    ...YEAR_2026,
    source: 'Lei 15.191/2025; Lei 15.270/2025',
    bands: [
      { upTo: 242_880, rate: 0, deduct: 0 },
      { upTo: 282_665, rate: 750, deduct: 18_216 },
      { upTo: 375_105, rate: 1500, deduct: 39_416 },
      { upTo: 466_468, rate: 2250, deduct: 67_549 },
      { rate: 2750, deduct: 90_873 },
    ],
    dependant: 18_959,
    simplifiedDeduction: 60_720,
    reduction: { max: 31_289, wholeUpTo: 500_000, upTo: 735_000, from: 97_862, perMillion: 133_145 },
    notWithheldUpTo: 1000,
  },
];

const MINIMUM_WAGES: readonly MinimumWage[] = [
  { ...YEAR_2026, source: 'Decreto 12.797/2025', month: 162_100 },
];

/** The confirmed table of a day; undefined without one. */
export const tableOn = <Table extends Validity>(tables: readonly Table[], day: Day): Table | undefined =>
  tables.find(({ validFrom, validTo, confirmed }) => confirmed && validFrom <= day && day <= validTo);

/** The tables of the contribution and of the tax. */
export interface PayTables {
  inss: InssTable;
  irrf: IrrfTable;
}

/** The tables of a payment; undefined if one is missing. The contribution is of a month, the tax of the day of payment. */
export function payTablesOn(day: Day, paidOn: Day = day): PayTables | undefined {
  const inss = tableOn(INSS_TABLES, day);
  const irrf = tableOn(IRRF_TABLES, paidOn);
  return inss && irrf && { inss, irrf };
}

/** The minimum wage of a month on a day, in cents. */
export const minimumWageOn = (day: Day): number | undefined => tableOn(MINIMUM_WAGES, day)?.month;
