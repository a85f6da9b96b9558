import { describe, expect, test } from 'vitest';
import { barcodeOf } from '#features/documents/fiscal-xml/barcode.ts';
import { haveSameHolder, keyHolds, parseKey, spacedKey } from '#features/documents/fiscal-xml/keys.ts';

describe('access keys', () => {
  test.each([
    ['33150308370779000149550010001100931002410775'],
    ['13181017921427000125650010000000309887251170'],
    ['41191111812498000103650050000010451515607994'],
    ['35260812ABC34501DE35550010000001231482917352'],
  ])('an access key is valid by its check digit: %s', (key) => {
    expect(keyHolds(key)).toBe(true);
    expect(keyHolds(`${Number(key[0]) + 1}${key.slice(1)}`)).toBe(false);
    expect(keyHolds(`${key.slice(0, 43)}${(Number(key[43]) + 1) % 10}`)).toBe(false);
  });

  test('an access key of another length or with letters elsewhere is invalid', () => {
    const wrong = ['', '0', '3'.repeat(43), '3'.repeat(45), `A${'3'.repeat(43)}`, `${'3'.repeat(42)}AB`];
    expect(wrong.map(keyHolds)).toEqual(wrong.map(() => false));
    expect(wrong.map(parseKey)).toEqual(wrong.map(() => undefined));
  });

  test.each([
    [
      '35260812ABC34501DE35550010000001231482917352',
      {
        state: '35',
        month: '2608',
        issuer: '12ABC34501DE35',
        model: '55',
        series: '001',
        number: '000000123',
      },
    ],
    [
      '35251299304518000186590009988770040016184020',
      { model: '59', series: '000998877', number: '004001', emission: '', code: '618402' },
    ],
    [
      '35261199304518000186620010000000071212345676',
      { model: '62', series: '001', number: '000000007', emission: '1', code: '1234567' },
    ],
  ])('the parts of a key are those of its model: %s', (key, parts) => {
    expect(parseKey(key)).toMatchObject(parts);
  });

  test('a key is shown in eleven groups of four', () => {
    expect(spacedKey('35260812ABC34501DE35550010000001231482917352').split(' ')).toHaveLength(11);
  });
});

describe('the barcode of a key', () => {
  /** The symbols of Code 128 by the widths of their bars, as a scanner sees them. */
  const widthsOf = (key: string): number[] => {
    const code = barcodeOf(key);
    const bars = code?.bars ?? [];
    return bars.flatMap(({ x, width }, at) => {
      const next = bars[at + 1]?.x ?? code?.width ?? 0;
      return next - x - width > 0 ? [width, next - x - width] : [width];
    });
  };

  test.each([
    ['of digits', '33150308370779000149550010001100931002410775', 1 + 22 + 1],
    ['with letters', '35260812ABC34501DE35550010000001231482917352', 1 + 3 + 1 + 12 + 1 + 13 + 1],
  ])('a key %s has a start, symbols of eleven modules, a check and an end', (_, key, symbols) => {
    const widths = widthsOf(key);
    expect(widths.length).toBe(symbols * 6 + 7);
    expect(widths.slice(0, 6).join('')).toBe('211232');
    expect(widths.slice(-7).join('')).toBe('2331112');
    for (let at = 0; at < symbols; at += 1)
      expect(widths.slice(at * 6, at * 6 + 6).reduce((sum, width) => sum + width)).toBe(11);
  });

  test('symbols are those of the standard: 33 and 15 after the start, and the check of all', () => {
    const widths = widthsOf('33150308370779000149550010001100931002410775');
    // 33 in set C is the symbol of A, 15 that of /
    expect([widths.slice(6, 12).join(''), widths.slice(12, 18).join('')]).toEqual(['111323', '113222']);
  });

  test('what is no key of 44 characters has no barcode', () => {
    expect(['', '1'.repeat(50), 'x'.repeat(44)].map(barcodeOf)).toEqual([undefined, undefined, undefined]);
  });
});

test.each([
  ['two establishments of a company', '99304518000186', '99304518000267', true],
  ['two companies', '99304518000186', '31550824000169', false],
  ['a person', '52998224725', '52998224725', true],
  ['two persons whose CPFs begin alike', '52998224725', '52998224644', false],
  ['a company and a person whose number begins like its root', '52998224000106', '52998224725', false],
  ['nobody', '', '', false],
])('%s have the same holder only if they are one', (_, one, other, same) => {
  expect(haveSameHolder(one, other)).toBe(same);
});
