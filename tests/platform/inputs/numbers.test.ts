import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutMask } from '#platform/inputs/masks.ts';
import { decimalOf, decimalProblem, hoursProblem, hoursText, minutesOf } from '#platform/inputs/numbers.ts';

test.each([
  ['8:30', 510],
  ['008:05', 485],
  ['160', 9600],
  ['999:59', 59_999],
])('%s is read as %i minutes', (text, minutes) => {
  expect(hoursProblem(text)).toBeUndefined();
  expect(minutesOf(text)).toBe(minutes);
});

test.each([
  ['1:2:3', 'invalidSeparator'],
  ['8.30', 'invalidSeparator'],
  ['1000:00', 'invalidHourPlaces'],
  [':30', 'invalidHourPlaces'],
  ['8:', 'invalidMinutePlaces'],
  ['8:001', 'invalidMinutePlaces'],
  ['8:60', 'invalidMinute'],
])('the hours %s are refused: %s', (text, problem) => {
  expect(hoursProblem(text)).toBe(problem);
});

test('minutes are shown with three digits of hours, and read as they were', () => {
  expect(hoursText(510)).toBe('008:30');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 59_999 }), (minutes) => {
      expect(hoursProblem(hoursText(minutes))).toBeUndefined();
      expect(minutesOf(hoursText(minutes))).toBe(minutes);
    }),
  );
});

test.each([
  ['0', 0],
  ['1234,5', 1234.5],
  ['1234.50', 1234.5],
  ['R$ 1.234,56', 1234.56],
  ['$1,234,567', 1_234_567],
  ['1 234,5', 1234.5],
  ['9999999.99', 9_999_999.99],
])('the amount %s is read as %d', (text, value) => {
  const plain = withoutMask('decimal', text);
  expect(decimalProblem(plain)).toBeUndefined();
  expect(decimalOf(plain)).toBe(value);
});

test.each([
  ['-1', 'negativeValue'],
  ['1,2,3', 'invalidSeparator'],
  ['12a', 'invalidSeparator'],
  ['.', 'invalidSeparator'],
  ['1.234', 'decimalPlaces'], // could be a thousand as well
  ['10000000', 'maxValue'],
  ['9999999.995', 'decimalPlaces'],
  ['000000000000001', 'maxValue'],
])('the amount %s is refused: %s', (text, problem) => {
  expect(decimalProblem(withoutMask('decimal', text))).toBe(problem);
});

test('every amount with two decimals is read as it was written, in the languages of the portal', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 999_999_999 }),
      fc.constantFrom('en-US', 'es-AR', 'pt-BR', 'fr-CA'),
      (cents, locale) => {
        const text = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(cents / 100);
        const plain = withoutMask('decimal', text);
        expect(decimalProblem(plain), text).toBeUndefined();
        expect(decimalOf(plain), text).toBe(cents / 100);
      },
    ),
  );
});
