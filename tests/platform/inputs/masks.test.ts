import { maskitoTransform } from '@maskito/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MASKS, typingMask, withMask, withoutMask } from '#platform/inputs/masks.ts';

test.each([
  ['cpf', '52998224725', '529.982.247-25'],
  ['cnpj', '12ABC34501DE35', '12.ABC.345/01DE-35'],
  ['cep', '01310100', '01.310-100'],
  ['ssn', '123456789', '123-45-6789'],
  ['phone', '2125550123', '(212) 555-0123'],
] as const)('a complete %s is shown with its punctuation, and read without', (mask, plain, shown) => {
  expect(withMask(mask, plain)).toBe(shown);
  expect(withMask(mask, shown)).toBe(shown);
  expect(withoutMask(mask, shown)).toBe(plain);
});

test('a value that does not fit its mask stays as it was typed', () => {
  for (const typed of ['', '123', '5299822472X', '529982247250', 'abc'])
    expect(withMask('cpf', typed)).toBe(typed);
});

test('letters of a CNPJ are capitals', () => {
  expect(withMask('cnpj', '12abc34501de35')).toBe('12.ABC.345/01DE-35');
});

test('a number that was copied with other dashes, spaces, digits or its prefix is read', () => {
  expect(withoutMask('cpf', '529.982.247‑25')).toBe('52998224725');
  expect(withoutMask('abn', '51 824 753 556')).toBe('51824753556');
  expect(withoutMask('cep', '０１３１０－１００')).toBe('01310100');
  expect(withoutMask('phone', '+1 (212) 555-0123')).toBe('2125550123');
  expect(withoutMask('utr', '123 20000 00000')).toBe('2000000000');
});

test('the shorter form of a number has its own punctuation', () => {
  expect(withMask('bn', '123456782')).toBe('123456782');
  expect(withMask('bn', '123456782RC0001')).toBe('123456782 RC 0001');
  expect(withMask('tfn', '12345678')).toBe('123 456 78');
  expect(withMask('nino', 'AB123456')).toBe('AB 12 34 56');
});

describe.each(Object.keys(MASKS) as (keyof typeof MASKS)[])('typing %s', (mask) => {
  test(`what is typed, pasted or filled into a field for ${mask} gets the punctuation that the server gives it`, () => {
    const pattern = [typingMask(mask)].flat();
    const characters = pattern.map((place) => (typeof place === 'string' ? '' : place.test('A') ? 'L' : '0'));
    const values = fc.tuple(
      ...characters
        .filter((place) => place !== '')
        .map((place) => fc.constantFrom(...(place === 'L' ? 'ABCXYZ' : '0123456789'))),
    );
    fc.assert(
      fc.property(values, (each) => {
        const plain = each.join('');
        const shown = withMask(mask, plain);
        expect(maskitoTransform(plain, { mask: pattern })).toBe(shown);
        expect(maskitoTransform(shown, { mask: pattern })).toBe(shown);
        expect(withoutMask(mask, shown)).toBe(plain);
      }),
      { numRuns: 30 },
    );
  });
});
