import { expect, test } from 'vitest';
import { formatDate, formatMoment, formatNumber, formatSize } from '#platform/formats.ts';
import { LANGUAGES } from '#platform/languages.ts';

/** Spaces of all kinds as one: which kind stands before a unit is the language's own affair. */
const plain = (text: string): string => text.replace(/\s/gu, ' ');

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1000, '1 kB'],
  [1440, '1.4 kB'],
  [999_949, '999.9 kB'],
  [1_000_000, '1 MB'],
  [1_449_000, '1.4 MB'],
  [52_428_800, '52.4 MB'],
  [999_900_000, '999.9 MB'],
  [1_000_000_000, '1 GB'],
  [5_000_000_000_000, '5,000 GB'],
])('a file of %i bytes is shown as %s', (bytes, text) => {
  expect(plain(formatSize('en-US', bytes))).toBe(text);
});

test.each([
  [999_950, '1 MB'],
  [999_999, '1 MB'],
  [999_999_999, '1 GB'],
])('a file of %i bytes is shown as %s, not as a thousand of the smaller unit', (bytes, text) => {
  expect(plain(formatSize('en-US', bytes))).toBe(text);
});

test.each([
  ['pt-BR', '1,4 MB', '1.234.567', '21 de nov. de 2026'],
  ['es-AR', '1,4 MB', '1.234.567', '21 nov 2026'],
  ['fr-CA', '1,4 Mo', '1 234 567', '21 nov. 2026'],
  ['en-GB', '1.4 MB', '1,234,567', '21 Nov 2026'],
  ['en-US', '1.4 MB', '1,234,567', 'Nov 21, 2026'],
])('in %s people read %s, %s and %s', (locale, size, number, date) => {
  expect(plain(formatSize(locale, 1_400_000))).toBe(size);
  expect(plain(formatNumber(locale, 1_234_567))).toBe(number);
  expect(plain(formatDate(locale, Date.UTC(2026, 10, 21, 23, 59)))).toBe(date);
});

test('a day is the same for every reader, wherever the server stands', () => {
  expect(formatDate('en-US', '2026-11-21T00:00:00Z')).toBe('Nov 21, 2026');
  expect(formatDate('en-US', '2026-11-21T23:59:59.999Z')).toBe('Nov 21, 2026');
});

test('a moment says its zone, once', () => {
  for (const locale of Object.values(LANGUAGES)) {
    const moment = formatMoment(locale, Date.UTC(2026, 10, 24, 15, 4));
    expect(moment).toMatch(/24.*2026|2026.*24/);
    expect(moment.match(/UTC/g)).toHaveLength(1);
  }
  expect(plain(formatMoment('en-US', Date.UTC(2026, 10, 24, 15, 4)))).toBe('November 24, 2026 at 3:04 PM UTC');
});

test('one language never shows another, in whatever order they are asked', () => {
  expect([formatNumber('pt-BR', 1.5), formatNumber('en-US', 1.5), formatNumber('pt-BR', 1.5)]).toEqual(['1,5', '1.5', '1,5']);
});
