import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSameAnswer, readAnswer } from '#features/tasks/questionnaires/answer-values.ts';
import {
  IDENTIFIER_SCHEMES,
  identifierExample,
  isIdentifier,
  isUsualIdentifier,
  maskedIdentifier,
  normalizedIdentifier,
  type Scheme,
} from '#features/tasks/questionnaires/identifiers.ts';
import { typedValue } from '#features/tasks/questionnaires/typed-values.ts';
import { sentAnswer } from '#features/tasks/questionnaires/values.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import '../../../src/app.server.ts';
import { en, questionOf, type ItemInput } from './support.ts';

const asked = (item: object) => questionOf({ key: 'q', label: en('Q'), ...item } as ItemInput);
const choices = ['a', 'b', 'none'].map((key) => ({ key, label: en(key), exclusive: key === 'none' }));

/** What a typed text becomes, and the code of what is wrong with it. */
function read(
  item: object,
  text: string,
  { lang = 'en-us', country = 'US' }: { lang?: Lang; country?: string } = {},
) {
  const question = asked(item);
  const reading = readAnswer(question, typedValue(question, text, { lang, country }));
  if (reading.state === 'wrong') return reading.finding.code;
  return reading.state === 'value' ? reading.value : reading.state;
}

const usd = (minor: number) => ({ minor, currency: 'USD' });
const money = { kind: 'money', currency: 'USD' };

test.each<[string, object, string, unknown]>([
  ['text', { kind: 'text' }, '  Ada  ', 'Ada'],
  ['empty text', { kind: 'text' }, '   ', 'empty'],
  ['long text', { kind: 'text', max: 3 }, 'Ada L.', 'tooLong'],
  ['an email address', { kind: 'text', format: 'email' }, 'ada@example.com', 'ada@example.com'],
  ['no email address', { kind: 'text', format: 'email' }, 'ada@', 'emailWrong'],
  ['a paragraph', { kind: 'paragraph' }, 'One\r\ntwo', 'One\ntwo'],
  ['yes', { kind: 'yesNo' }, 'yes', true],
  ['no', { kind: 'yesNo' }, 'no', false],
  ['neither yes nor no', { kind: 'yesNo' }, 'perhaps', 'notAllowed'],
  ['a choice', { kind: 'choice', choices }, 'b', 'b'],
  ['a choice that is not offered', { kind: 'choice', choices }, 'constructor', 'notAllowed'],
  ['a number', { kind: 'number' }, ' 1,234 ', 1234],
  ['a number with decimals', { kind: 'number', decimals: 2 }, '12.5', 12.5],
  ['a number with too many decimals', { kind: 'number', decimals: 1 }, '12.55', 'tooManyDecimals'],
  ['a fraction instead of a whole number', { kind: 'number' }, '1.5', 'wholeNumber'],
  ['a negative number', { kind: 'number' }, '-1', 'negative'],
  ['a number below the minimum', { kind: 'number', min: 2 }, '1', 'tooSmall'],
  ['a number above the maximum', { kind: 'number', max: 2 }, '3', 'tooLarge'],
  ['a negative number where it is allowed', { kind: 'number', min: -5 }, '−4', -4],
  ['no number', { kind: 'number' }, 'twelve', 'numberWrong'],
  ['a number like a program', { kind: 'number' }, '1e3', 'numberWrong'],
  ['an amount', money, '$1,240.5', usd(124_050)],
  ['an amount in whole units', money, '1,240', usd(124_000)],
  ['an amount in parentheses', { ...money, signed: true }, '(1,240.00)', usd(-124_000)],
  ['a negative amount', money, '-5', 'negative'],
  ['a fraction of a cent', money, '1.005', 'amountWrong'],
  ['an amount above the limit', money, '10,000,000', 'tooLarge'],
  ['a large amount in whole units', { ...money, whole: true }, '10,000,000', usd(1_000_000_000)],
  ['cents of a whole amount', { ...money, whole: true }, '10.50', 'wholeAmount'],
  ['no amount', money, 'a lot', 'amountWrong'],
  ['a time of day', { kind: 'clock' }, '08:30', { minutes: 510 }],
  ['a time of day with an h', { kind: 'clock' }, '8h30', { minutes: 510 }],
  ['an hour of the day', { kind: 'clock' }, '8', { minutes: 480 }],
  ['a time after the end of the day', { kind: 'clock' }, '24:00', 'tooLarge'],
  ['no time of day', { kind: 'clock' }, 'noon', 'clockWrong'],
  ['an amount of hours', { kind: 'hours' }, '160:05', { minutes: 9605 }],
  ['whole hours', { kind: 'hours' }, '44', { minutes: 2640 }],
  ['hours with too many minutes', { kind: 'hours' }, '7:60', 'hoursWrong'],
  ['negative hours', { kind: 'hours' }, '-1:00', 'hoursWrong'],
  ['hours above the maximum', { kind: 'hours', max: 2640 }, '44:01', 'tooLarge'],
  ['hours below the minimum', { kind: 'hours', min: 60 }, '0:59', 'tooSmall'],
  ['what no list was asked for', { kind: 'lookup', list: 'countries' }, 'Brazil', 'entryUnknown'],
  [
    'a currency without decimals',
    { kind: 'money', currency: 'JPY' },
    '1,250',
    { minor: 1250, currency: 'JPY' },
  ],
  ['a date', { kind: 'date' }, '28/02/2026', '2026-02-28'],
  ['a date in the international form', { kind: 'date' }, '2026-02-28', '2026-02-28'],
  ['a day that does not exist', { kind: 'date' }, '30/02/2026', 'dateWrong'],
  ['a date before the first', { kind: 'date', earliest: '2026-03-01' }, '2026-02-28', 'dateTooEarly'],
  ['a date after the last', { kind: 'date', latest: '2026-01-01' }, '2026-02-28', 'dateTooLate'],
  ['a month', { kind: 'date', part: 'month' }, '2/2026', '2026-02'],
  ['a month that does not exist', { kind: 'date', part: 'month' }, '13/2026', 'monthWrong'],
  ['a year', { kind: 'date', part: 'year' }, '2026', '2026'],
  ['a year of two digits', { kind: 'date', part: 'year' }, '26', 'yearWrong'],
  [
    'a national phone number',
    { kind: 'phone' },
    '(212) 555-0123',
    { typed: '(212) 555-0123', e164: '+12125550123' },
  ],
  [
    'a foreign phone number',
    { kind: 'phone' },
    '+44 20 7946 0958',
    { typed: '+44 20 7946 0958', e164: '+442079460958' },
  ],
  ['a phone number that is too short', { kind: 'phone' }, '555', 'phoneWrong'],
])('%s is read', (_, item, text, expected) => {
  expect(read(item, text)).toEqual(expected);
});

test('amounts are read with the separators of the reader, and what could be mistaken is refused', () => {
  expect(read(money, '1.240,50', { lang: 'pt' })).toEqual(usd(124_050));
  expect(read(money, '1.240', { lang: 'es' })).toEqual(usd(124_000));
  expect(read(money, '1 240,50', { lang: 'fr' })).toEqual(usd(124_050));
  expect(read(money, '1.240', { lang: 'en-us' })).toBe('amountWrong');
  expect(read(money, '1,240', { lang: 'pt' })).toBe('amountWrong');
});

test('an amount that is typed is stored to the cent', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999 }), (minor) => {
      expect(read(money, (minor / 100).toFixed(2))).toEqual(usd(minor));
      expect(read(money, (minor / 100).toLocaleString('en-US', { minimumFractionDigits: 2 }))).toEqual(
        usd(minor),
      );
    }),
  );
});

test('phone numbers without a country code belong to the country of the template', () => {
  expect(read({ kind: 'phone' }, '020 7946 0958', { country: 'GB' })).toMatchObject({
    e164: '+442079460958',
  });
  expect(read({ kind: 'phone' }, '(11) 91234-5678', { country: 'BR' })).toMatchObject({
    e164: '+5511912345678',
  });
  expect(read({ kind: 'phone' }, '020 7946 0958', { country: 'FR' })).toBe('phoneWrong');
});

describe('identifiers', () => {
  test.each<[Scheme, string, string]>([
    ['ssn', '123-45-6789', '123-45-678'],
    ['itin', '900-70-0000', '123-45-6789'],
    ['ein', '12-3456789', '00-3456789'],
    ['nino', 'ab 12 34 56 c', 'BG 12 34 56 C'],
    ['utr', '20000 00000', '20000 00001'],
    ['sin', '046 454 286', '046 454 287'],
    ['cpf', '529.982.247-25', '529.982.247-26'],
    ['cnpj', '12.ABC.345/01DE-35', '12.ABC.345/01DE-36'],
    ['cep', '01310-100', '01310-10'],
    ['iban', 'GB82 WEST 1234 5698 7654 32', 'GB82 WEST 1234 5698 7654 33'],
    ['routing', '021000021', '021000022'],
    ['account', '1234 5678', '12'],
    ['sort-code', '20-00-00', '20-00-0'],
    ['pix', 'Ada@Example.com', 'ada'],
    ['pix', '+55 11 91234-5678', '+1 212 555 0123'],
    ['pix', '123e4567-e89b-12d3-a456-426655440000', '123e4567-e89b'],
    ['vin', '1m8gdm9axkp042788', '1M8GDM9AXKP04278O'],
  ])('a %s is accepted with its punctuation, and a wrong one is not', (scheme, right, bad) => {
    expect(isIdentifier(scheme, normalizedIdentifier(scheme, right))).toBe(true);
    expect(read({ kind: 'identifier', scheme }, bad)).toBe('identifierWrong');
  });

  test('the examples in messages are valid numbers', () => {
    for (const scheme of IDENTIFIER_SCHEMES) {
      const number = normalizedIdentifier(scheme, identifierExample(scheme));
      expect([scheme, isIdentifier(scheme, number), isUsualIdentifier(scheme, number)]).toEqual([
        scheme,
        true,
        true,
      ]);
    }
  });

  test('a number that its authority would not assign is accepted with a warning', () => {
    for (const [scheme, number] of [
      ['ssn', '000-12-3456'],
      ['ssn', '666-12-3456'],
      ['ssn', '123-00-3456'],
      ['ssn', '123-45-0000'],
      ['ssn', '900-12-3456'],
      ['vin', '1M8GDM9A1KP042788'],
    ] as const) {
      const question = asked({ kind: 'identifier', scheme });
      expect(sentAnswer(question, number, { lang: 'en-us', country: 'US' })).toMatchObject({
        finding: { code: 'identifierUnusual', isWarning: true },
      });
    }
  });

  test('only the end of a number is readable in its masked form', () => {
    expect(maskedIdentifier('ssn', '123456789')).toBe('•••-••-6789');
    expect(maskedIdentifier('cpf', '52998224725')).toBe('•••.•••.•47-25');
    expect(maskedIdentifier('account', '1234')).toBe('••34');
    fc.assert(
      fc.property(
        fc.constantFrom(...IDENTIFIER_SCHEMES),
        fc.stringMatching(/^\d{3,34}$/),
        (scheme, number) => {
          const readable = maskedIdentifier(scheme, number).replaceAll(/\D/g, '');
          expect(readable.length).toBeLessThanOrEqual(4);
          expect(number.endsWith(readable)).toBe(true);
        },
      ),
    );
  });
});

const address = {
  country: 'US',
  address1: '1 Main St',
  address2: '',
  city: 'Fresno',
  state: 'US-CA',
  zip: '93650',
  county: '',
};

test('a masked number that a program sends never replaces the stored one', () => {
  const question = asked({ kind: 'identifier', scheme: 'ssn' });
  const sent = (value: string, stored?: string) =>
    sentAnswer(question, value, { lang: 'en-us', country: 'US', stored });
  expect(sent('***-**-6789', '123456789')).toEqual({ value: '123456789' });
  expect(sent('•••-••-6789', '123456789')).toEqual({ value: '123456789' });
  expect(sent('***-**-1111', '123456789')).toEqual({
    value: '123456789',
    finding: { code: 'maskedChanged' },
  });
  expect(sent('***-**-6789')).toEqual({ value: null, finding: { code: 'maskedChanged' } });
  const secret = asked({ kind: 'text', sensitive: true });
  expect(sentAnswer(secret, 'a*b', { lang: 'en-us', country: 'US', stored: 'old' })).toEqual({
    value: 'a*b',
  });
  expect(sentAnswer(secret, '••••••', { lang: 'en-us', country: 'US', stored: 'old' })).toEqual({
    value: 'old',
  });
});

test('an address is completed, and its missing parts are reported where they are', () => {
  const question = asked({ kind: 'address', countries: ['US', 'CA'] });
  const sent = (value: unknown) => sentAnswer(question, value, { lang: 'en-us', country: 'US' });
  expect(sent({ ...address, state: 'California' })).toEqual({ value: address });
  expect(sent({ ...address, city: '' })).toMatchObject({ finding: { code: 'cityMissing', part: 'city' } });
  expect(sent({ ...address, address1: ' ' })).toMatchObject({ finding: { code: 'address1Missing' } });
  expect(sent({ ...address, country: 'DE' })).toMatchObject({ finding: { code: 'countryNotOffered' } });
  expect(sent({ ...address, country: '' })).toMatchObject({ finding: { code: 'countryMissing' } });
  expect(
    sent({ country: 'US', address1: '', address2: '', city: '', state: '', zip: '', county: '' }),
  ).toEqual({ value: null });
  expect(sent({ ...address, planet: 'Mars' })).toBeUndefined();
});

test('several choices are stored in the order of the template', () => {
  const reading = (item: object, value: unknown) =>
    readAnswer(asked({ kind: 'choices', choices, ...item }), value);
  expect(reading({}, ['b', 'a'])).toMatchObject({ value: ['a', 'b'] });
  expect(reading({}, ['a', 'none'])).toMatchObject({ finding: { code: 'choiceExclusive' } });
  expect(reading({ min: 2 }, ['a'])).toMatchObject({ finding: { code: 'choicesTooFew', vars: { min: 2 } } });
  expect(reading({ min: 2 }, ['none'])).toMatchObject({ value: ['none'] });
  expect(reading({ max: 1 }, ['a', 'b'])).toMatchObject({ finding: { code: 'choicesTooMany' } });
  for (const bad of [['a', 'a'], ['c'], [1], 'a', { a: true }])
    expect(reading({}, bad)).toMatchObject({ finding: { code: 'notAllowed' } });
});

test('files are counted, and each is given once', () => {
  const reading = (item: object, value: unknown) => readAnswer(asked({ kind: 'files', ...item }), value);
  expect(reading({}, ['f1', 'f2'])).toMatchObject({ value: ['f1', 'f2'] });
  expect(reading({ min: 2 }, ['f1'])).toMatchObject({ finding: { code: 'filesTooFew' } });
  expect(reading({ max: 1 }, ['f1', 'f2'])).toMatchObject({ finding: { code: 'filesTooMany' } });
  expect(reading({}, ['f1', 'f1'])).toMatchObject({ finding: { code: 'notAllowed' } });
  expect(reading({}, [])).toEqual({ state: 'empty' });
});

test('what stands for an answer is accepted where its question allows it', () => {
  const state = (item: object, value: unknown) => readAnswer(asked(item), value).state;
  expect(state({ kind: 'text', none: true }, { none: true })).toBe('none');
  expect(state({ kind: 'text' }, { none: true })).toBe('wrong');
  expect(state({ kind: 'yesNo', unsure: true }, { unsure: true })).toBe('unsure');
  expect(state({ kind: 'yesNo' }, { unsure: true })).toBe('wrong');
  expect(state({ kind: 'files' }, { notYet: true, by: '2027-02-20' })).toBe('notYet');
  expect(state({ kind: 'files', notYet: false }, { notYet: true })).toBe('wrong');
  expect(state({ kind: 'text' }, { same: true, of: 'Ada' })).toBe('value');
  expect(state({ kind: 'text', lastYear: 'off' }, { same: true, of: 'Ada' })).toBe('wrong');
  expect(state({ kind: 'text' }, { same: true })).toBe('wrong');
  expect(state({ kind: 'number' }, { same: true, of: 'Ada' })).toBe('wrong');
});

const hostile = JSON.parse(
  '{"__proto__":{"none":true},"constructor":{"prototype":{"same":true}},"toString":1}',
) as object;

test('nothing that is sent makes reading an answer throw', () => {
  const questions = [
    { kind: 'text' },
    { kind: 'paragraph' },
    { kind: 'yesNo' },
    { kind: 'choice', choices },
    { kind: 'choices', choices },
    { kind: 'number' },
    money,
    { kind: 'date' },
    { kind: 'identifier', scheme: 'cnpj' },
    { kind: 'phone' },
    { kind: 'address' },
    { kind: 'files' },
  ].map(asked);
  const values = fc.oneof(
    fc.anything({ maxDepth: 3, withNullPrototype: true, withBigInt: true }),
    fc.constantFrom(
      hostile,
      Array.from({ length: 100_000 }, () => 'a'),
      'x'.repeat(1_000_000),
      { minor: 1e400, currency: 'USD' },
      { minor: Number.NaN, currency: 'USD' },
      [Number.NaN],
    ),
    fc.record({ minor: fc.double(), currency: fc.constantFrom('USD', 'BRL') }),
    fc.record({ typed: fc.string(), e164: fc.string() }),
  );
  fc.assert(
    fc.property(values, (value) => {
      for (const question of questions) {
        expect(['empty', 'wrong', 'value']).toContain(readAnswer(question, value).state);
        sentAnswer(question, value, { lang: 'en-us', country: 'US' });
        if (typeof value === 'string') typedValue(question, value, { lang: 'pt', country: 'BR' });
      }
      expect(isSameAnswer(value, value)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
