import fc from 'fast-check';
import { stdnum } from 'stdnum';
import { describe, expect, test } from 'vitest';
import { withMask, withoutMask } from '#platform/inputs/masks.ts';
import { isTaxId, withLostZeros, TAX_ID_KINDS, TAX_IDS } from '#platform/inputs/tax-ids.ts';

/** A validator of another library. */
function validator(country: 'AR' | 'AU' | 'BR' | 'CA' | 'GB' | 'US', name: string) {
  const found = stdnum[country]?.[name];
  if (!found) throw new Error(`stdnum has no ${country}.${name}`);
  return found;
}

describe.each(TAX_ID_KINDS)('the tax id %s', (kind) => {
  const { example } = TAX_IDS[kind];

  test(`an example of ${kind} is valid with and without punctuation, and is shown with it`, () => {
    expect(isTaxId(kind, example)).toBe(true);
    expect(isTaxId(kind, withoutMask(kind, example).toLowerCase())).toBe(true);
    expect(withMask(kind, withoutMask(kind, example))).toBe(example);
  });

  test(`a shorter or longer ${kind}, and one of zeros, is refused`, () => {
    const plain = withoutMask(kind, example);
    for (const wrong of ['', plain.slice(2), `${plain}0`, plain.replaceAll(/./g, '0')])
      expect(isTaxId(kind, wrong), wrong).toBe(false);
  });
});

test.each([
  ['cnpj', '12.ABC.345/01DE-35'],
  ['cnpj', '08.370.779/0001-49'],
  ['cpf', '111.444.777-35'],
  ['ssn', '912-70-1234'],
  ['nino', 'AB123456'],
  ['bn', '123456782'],
  ['tfn', '12345678'],
] as const)('%s %s is valid', (kind, number) => {
  expect(isTaxId(kind, number)).toBe(true);
});

test.each([
  ['cnpj', '12.ABC.345/01DE-36'],
  ['cnpj', '12.ABC.345/01DE-3A'],
  ['cpf', '111.111.111-11'],
  ['cpf', '11144477735x'],
  ['ssn', '000-12-3456'],
  ['ssn', '666-12-3456'],
  ['ssn', '123-00-4567'],
  ['ssn', '123-45-0000'],
  ['ssn', '***-**-6789'],
  ['ein', '00-1234567'],
  ['nino', 'GB123456A'],
  ['nino', 'AO123456A'],
  ['bn', '123456782 XX 0001'],
  ['cuit', '99-12345678-6'],
] as const)('%s %s is refused', (kind, number) => {
  expect(isTaxId(kind, number)).toBe(false);
});

/** The kinds whose check digits must be those of an independent implementation, with a number without its digits. */
const CHECKED = {
  cnpj: [validator('BR', 'cnpj'), 12, 2],
  cpf: [validator('BR', 'cpf'), 9, 2],
  utr: [validator('GB', 'utr'), 9, 1],
  sin: [validator('CA', 'sin'), 8, 1],
  abn: [validator('AU', 'abn'), 9, 2],
  tfn: [validator('AU', 'tfn'), 8, 1],
} as const;

test.each(Object.entries(CHECKED))('check digits of %s are those of another library', (name, rule) => {
  const [other, length, checks] = rule;
  const kind = TAX_ID_KINDS.find((each) => each === name) ?? 'cpf';
  const alphabet = kind === 'cnpj' ? '0123456789ABCXYZ' : '0123456789';
  const numbers = fc
    .array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length })
    .map((characters) => characters.join(''));
  const digits = Array.from({ length: 10 ** checks }, (_, index) => String(index).padStart(checks, '0'));
  const isFirst = kind === 'utr' || kind === 'abn';
  fc.assert(
    fc.property(numbers, (number) => {
      for (const digit of digits) {
        const whole = isFirst ? digit + number : number + digit;
        if (/^(.)\1*$/.test(whole)) continue; // refused here, though its digits are right
        expect(isTaxId(kind, whole), whole).toBe(other.validate(whole).isValid);
      }
    }),
    { numRuns: 40 },
  );
});

test('check digits of CUIT are those of another library', () => {
  const numbers = fc.tuple(
    fc.constantFrom('20', '23', '24', '27', '30', '33', '34'),
    fc.integer({ min: 0, max: 99_999_999 }),
    fc.integer({ min: 0, max: 9 }),
  );
  fc.assert(
    fc.property(numbers, ([type, body, digit]) => {
      const whole = `${type}${String(body).padStart(8, '0')}${digit}`;
      expect(isTaxId('cuit', whole), whole).toBe(validator('AR', 'cuit').validate(whole).isValid);
    }),
  );
});

test('every number that another library accepts as EIN, SSN, NINO or BN is accepted', () => {
  const others = [
    ['ein', validator('US', 'ein'), /^\d{9}$/],
    ['ssn', validator('US', 'ssn'), /^\d{9}$/],
    ['nino', validator('GB', 'nino'), /^[A-Z]{2}\d{6}[A-D]$/],
    ['bn', validator('CA', 'bn'), /^\d{9}R[CMPT]\d{4}$/],
  ] as const;
  for (const [kind, other, form] of others)
    fc.assert(
      fc.property(fc.stringMatching(form), (number) => {
        if (other.validate(number).isValid && !/^0+$/.test(number)) expect(isTaxId(kind, number)).toBe(true);
      }),
    );
});

test.each([
  ['cnpj', '1222333000128', '01222333000128'],
  ['cnpj', '1.222.333/0001-28', '01222333000128'],
  ['cpf', '1234567890', '01234567890'],
  ['sin', '46454286', '046454286'],
  ['cnpj', '01222333000128', undefined], // whole
  ['cnpj', '1222333000129', undefined], // another check digit
  ['cnpj', '128', undefined], // too short
  ['ein', '12345678', undefined], // no check digit
  ['cpf', 'A234567890', undefined],
] as const)('of the %s %s, zeros that were lost give %s', (kind, text, whole) => {
  expect(withLostZeros(kind, text)).toBe(whole);
});
