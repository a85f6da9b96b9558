import { expect, test } from 'vitest';
import { withMask, withoutMask } from '#platform/masks.ts';

test.each([
  ['cpf', '52998224725', '529.982.247-25'],
  ['cnpj', '12ABC34501DE35', '12.ABC.345/01DE-35'],
  ['cep', '01310100', '01.310-100'],
  ['ssn', '123456789', '123-45-6789'],
  ['phone', '2125550123', '(212) 555-0123'],
] as const)('a complete %s is shown with its punctuation, and read without', (mask, plain, shown) => {
  expect(withMask(mask, plain)).toBe(shown);
  expect(withMask(mask, shown)).toBe(shown);
  expect(withoutMask(shown)).toBe(plain);
});

test('a value that does not fit its mask stays as it was typed', () => {
  for (const typed of ['', '123', '5299822472X', '529982247250', 'abc'])
    expect(withMask('cpf', typed)).toBe(typed);
});

test('letters of a CNPJ are capitals', () => {
  expect(withMask('cnpj', '12abc34501de35')).toBe('12.ABC.345/01DE-35');
});
