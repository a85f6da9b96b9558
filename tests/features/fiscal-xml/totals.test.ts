import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ADDED,
  DEDUCTED,
  INCLUDED,
  isDocument,
  type FiscalDocument,
} from '#features/documents/fiscal-xml/fiscal-xml.ts';
import { totalsOf } from '#features/documents/fiscal-xml/internal/totals.server.ts';
import { readFiscalXml } from '#features/documents/fiscal-xml/read.server.ts';
import { formatUnitPrice } from '#platform/text/formats.ts';

function readFiscal(text: string): FiscalDocument | undefined {
  const file = readFiscalXml(Buffer.from(text));
  const [entry] = file.kind === 'fiscal' ? file.entries : [];
  return entry && isDocument(entry) ? entry : undefined;
}

const amountOf = (cents: number): string => (cents / 100).toFixed(2);
const centsOf = (amount: string): number => Math.round(Number(amount) * 100);

/** The fields of the layout of NF-e that make its total (manual of the layout, rule W16-10). */
const FIELDS = {
  vProd: 1,
  vST: 1,
  vFCPST: 1,
  vICMSMonoReten: 1,
  vIPI: 1,
  vIPIDevol: 1,
  vII: 1,
  vFrete: 1,
  vSeg: 1,
  vOutro: 1,
  vDesc: -1,
  vICMSDeson: -1,
} as const;
type Field = keyof typeof FIELDS;
const names = Object.keys(FIELDS) as Field[];

const noteOf = (amounts: Record<Field, number>, total: number, items = ''): string =>
  `<NFe><infNFe><ide><mod>55</mod></ide>${items}<total><ICMSTot>${names
    .map((name) => `<${name}>${amountOf(amounts[name])}</${name}>`)
    .join('')}<vNF>${amountOf(total)}</vNF></ICMSTot></total></infNFe></NFe>`;

const cents = fc.oneof(fc.constant(0), fc.nat(1_000_000_000));
const amounts = fc.record(
  Object.fromEntries(names.map((name) => [name, cents])) as Record<Field, typeof cents>,
);
const sumOf = (given: Record<Field, number>): number =>
  names.reduce((sum, name) => sum + FIELDS[name] * given[name], 0);
/** What a reader gets who adds up the amounts shown. */
const shownSum = (sheet: ReturnType<typeof readFiscal>): number =>
  (sheet?.totals.parts ?? []).reduce(
    (sum, { name, amount }) =>
      sum + (DEDUCTED.some((each) => each === name) ? -centsOf(amount) : centsOf(amount)),
    0,
  );

describe('the totals of a fiscal document', () => {
  test('the amounts of any note add up to its total, and each that is not 0 is shown once', () => {
    fc.assert(
      fc.property(amounts, (given) => {
        const total = sumOf(given);
        const sheet = readFiscal(noteOf(given, total));
        if (names.every((name) => given[name] === 0)) return;
        expect([shownSum(sheet), sheet?.totals.difference]).toEqual([total, '']);
        const shown = [...(sheet?.totals.parts ?? []), ...(sheet?.totals.included ?? [])];
        expect(shown.map(({ amount }) => amount).toSorted()).toEqual(
          names
            .filter((name) => given[name] !== 0)
            .map((name) => amountOf(given[name]))
            .toSorted(),
        );
      }),
    );
  });

  test('a total that differs from its amounts is shown with the difference', () => {
    fc.assert(
      fc.property(amounts, fc.integer({ min: -1_000_000, max: 1_000_000 }), (given, error) => {
        const optional = [given.vII, given.vICMSDeson, given.vII - given.vICMSDeson];
        fc.pre(error !== 0 && ![...optional, ...optional.map((each) => -each)].includes(error));
        fc.pre(names.some((name) => given[name] !== 0));
        const sheet = readFiscal(noteOf(given, sumOf(given) + error));
        expect(sheet?.totals.difference).toBe(amountOf(error));
      }),
    );
  });

  test('relief from ICMS that is not deducted is named among the taxes', () => {
    expect(totalsOf({ sumProducts: '100.00', sumRelief: '18.00', sumIcms: '0.00' }, '100.00')).toEqual({
      parts: [{ name: 'sumProducts', amount: '100.00' }],
      total: '100.00',
      difference: '',
      included: [{ name: 'sumRelief', amount: '18.00' }],
    });
  });

  test('the discount of an item is shown, and a document without amounts has no difference', () => {
    const given = {
      ...(Object.fromEntries(names.map((name) => [name, 0])) as Record<Field, number>),
      vProd: 900,
    };
    const items = ['1.50', '0.00'].map(
      (discount) =>
        `<det><prod><xProd>Ink</xProd><vUnCom>4.5000000000</vUnCom><vDesc>${discount}</vDesc></prod></det>`,
    );
    const sheet = readFiscal(noteOf({ ...given, vDesc: 150 }, 750, items.join('')));
    expect(sheet?.items.map(({ discount }) => discount)).toEqual(['1.50', '']);
    expect(totalsOf({}, '206.40')).toEqual({ parts: [], total: '206.40', difference: '', included: [] });
  });

  test('no amount has two places', () => {
    const all = [...ADDED, ...DEDUCTED, ...INCLUDED];
    expect(new Set(all).size).toBe(all.length);
  });
});

test('a unit price is shown with all its decimals, without trailing zeros, and at least two', () => {
  expect(
    ['0.0045000000', '90', '7.155', '5.1', '0.0000000001', '1234.5600000000'].map((price) =>
      formatUnitPrice('pt-BR', price, 'BRL').replaceAll('\u00a0', ' '),
    ),
  ).toEqual(['R$ 0,0045', 'R$ 90,00', 'R$ 7,155', 'R$ 5,10', 'R$ 0,0000000001', 'R$ 1.234,56']);
  const price = fc.tuple(fc.nat(99_999), fc.nat(9_999_999_999));
  fc.assert(
    fc.property(price, ([whole, rest]) => {
      const decimals = String(rest).padStart(10, '0');
      const shown = formatUnitPrice('en-US', `${whole}.${decimals}`, 'BRL').replace(/[^\d.]/g, '');
      const kept = decimals.replace(/0+$/, '').padEnd(2, '0');
      expect(shown).toBe(`${whole}.${kept}`);
    }),
  );
});
