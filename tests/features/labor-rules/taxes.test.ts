import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { payTablesOn, tableOn } from '#features/brazil/labor-rules/tables.ts';
import { inssOf, irrfOf, irrfOfThirteenth } from '#features/brazil/labor-rules/taxes.ts';

const found = payTablesOn('2026-11-28');
if (!found) throw new Error('no tables of 2026');
const { inss, irrf } = found;

const cents = fc.integer({ min: 0, max: 1_000_000_000 });

describe('the contribution to social security', () => {
  test.each([
    [162_100, 12_158],
    [200_000, 15_569],
    [290_284, 23_694],
    [350_000, 30_860],
    [435_427, 41_111],
    [847_555, 98_809],
    [1_200_000, 98_809],
    [0, 0],
  ])('of %i cents is %i', (gross, contribution) => expect(inssOf(gross, inss)).toBe(contribution));

  test('never falls as the pay rises, and stops at its maximum', () => {
    fc.assert(
      fc.property(cents, cents, (one, other) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)];
        expect(inssOf(less, inss)).toBeLessThanOrEqual(inssOf(more, inss));
        expect(inssOf(more, inss)).toBeLessThanOrEqual(98_809);
      }),
    );
  });
});

describe('the income tax', () => {
  test.each([
    [500_000, 0, 50_151, 439_280, 31_289, 31_289, 0],
    [550_000, 0, 57_151, 489_280, 43_679, 24_632, 19_047],
    [600_000, 0, 64_151, 535_849, 56_485, 17_975, 38_510],
    [600_000, 2, 64_151, 497_931, 46_058, 17_975, 28_083],
    [735_000, 0, 83_051, 651_949, 88_413, 0, 88_413],
    [800_000, 0, 92_151, 707_849, 103_785, 0, 103_785],
    [1_200_000, 1, 98_809, 1_082_232, 206_741, 0, 206_741],
  ])('of %i cents with %i dependants', (gross, dependants, contribution, base, tax, reduction, withheld) => {
    expect(inssOf(gross, inss)).toBe(contribution);
    expect(irrfOf({ gross, inss: contribution, dependants }, irrf)).toMatchObject({
      base,
      tax,
      reduction,
      withheld,
    });
  });

  test('looks at the gross income for the reduction, not at what is left after deductions', () => {
    // on the base of 5,358.49 the reduction would be 265.14, and 299.71 would be withheld
    expect(irrfOf({ gross: 600_000, inss: 64_151, dependants: 0 }, irrf).withheld).toBe(38_510);
  });

  test('up to 10 reais is not withheld, but for the 13th salary', () => {
    // without a simplified deduction and above the income whose tax is forgiven
    const table = { ...irrf, simplifiedDeduction: 0, reduction: { ...irrf.reduction, max: 0 } };
    const pay = { gross: 256_213, inss: 0, dependants: 0 };
    expect(irrfOf(pay, table)).toMatchObject({ tax: 1000, withheld: 0 });
    expect(irrfOf({ ...pay, gross: 256_227 }, table)).toMatchObject({ tax: 1001, withheld: 1001 });
    expect(irrfOfThirteenth(pay, table)).toMatchObject({ tax: 1000, withheld: 1000 });
  });

  test('of a 13th salary has no simplified deduction', () => {
    expect(irrfOfThirteenth({ gross: 1_000_000, inss: 98_809, dependants: 1 }, irrf)).toMatchObject({
      base: 882_232,
      withheld: 151_741,
    });
    expect(irrfOfThirteenth({ gross: 500_000, inss: 50_151, dependants: 0 }, irrf).base).toBe(449_849);
  });

  test('is never negative, and never more than the income', () => {
    fc.assert(
      fc.property(cents, fc.integer({ min: 0, max: 20 }), (gross, dependants) => {
        for (const taxOf of [irrfOf, irrfOfThirteenth]) {
          const pay = { gross, inss: inssOf(gross, inss), dependants };
          const { base, tax, reduction, withheld } = taxOf(pay, irrf);
          for (const amount of [base, tax, reduction, withheld]) expect(amount).toBeGreaterThanOrEqual(0);
          expect(withheld).toBeLessThanOrEqual(gross);
          expect([0, tax - reduction]).toContain(withheld);
        }
      }),
    );
  });
});

test('a day without a confirmed table has none', () => {
  const table = { validFrom: '2027-01-01', validTo: '2027-12-31', source: '', confirmed: false };
  expect(tableOn([table], '2027-03-01')).toBeUndefined();
  expect(tableOn([{ ...table, confirmed: true }], '2027-03-01')).toBeDefined();
  expect(payTablesOn('2027-01-01')).toBeUndefined();
  expect(payTablesOn('2025-12-31')).toBeUndefined();
  expect(payTablesOn('2026-12-31', '2027-01-04'), 'the tax is of the day of payment').toBeUndefined();
});
