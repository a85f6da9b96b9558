import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  formatDate,
  formatMoment,
  formatNumber,
  formatShortMoment,
  formatSize,
} from '#platform/text/formats.ts';
import { LANGUAGES } from '#platform/text/languages.ts';
import { dayOf, startOfDay } from '#platform/text/time-zones.ts';

/** Normalizes spaces: which kind precedes a unit depends on the language. */
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
])('formats in %s: %s, %s and %s', (locale, size, number, date) => {
  expect(plain(formatSize(locale, 1_400_000))).toBe(size);
  expect(plain(formatNumber(locale, 1_234_567))).toBe(number);
  expect(plain(formatDate(locale, Date.UTC(2026, 10, 21, 23, 59), 'UTC'))).toBe(date);
});

test.each([
  ['Pacific/Kiritimati', '2026-11-20T10:00:00.000Z', '2026-11-21T09:59:59.999Z'],
  ['Pacific/Pago_Pago', '2026-11-21T11:00:00.000Z', '2026-11-22T10:59:59.999Z'],
  ['UTC', '2026-11-21T00:00:00.000Z', '2026-11-21T23:59:59.999Z'],
])('November 21 in %s is from %s to %s, in any time zone of the server', (timeZone, first, last) => {
  const before = Date.parse(first) - 1;
  expect([before, first, last].map((instant) => dayOf(instant, timeZone))).toEqual([
    '2026-11-20',
    '2026-11-21',
    '2026-11-21',
  ]);
  expect([before, first, last].map((instant) => formatDate('en-US', instant, timeZone))).toEqual([
    'Nov 20, 2026',
    'Nov 21, 2026',
    'Nov 21, 2026',
  ]);
  expect(startOfDay('2026-11-21', timeZone)).toBe(Date.parse(first));
  expect(startOfDay('2026-11-21', timeZone, 1)).toBe(Date.parse(last) + 1);
});

test('a day on which clocks skip midnight starts at one and has 23 hours', () => {
  expect(startOfDay('2018-11-04', 'America/Sao_Paulo')).toBe(Date.parse('2018-11-04T03:00:00Z'));
  const long = startOfDay('2026-11-01', 'America/Chicago', 1) - startOfDay('2026-11-01', 'America/Chicago');
  expect(long).toBe(25 * 60 * 60 * 1000);
});

test('a formatted moment names its time zone once', () => {
  for (const locale of Object.values(LANGUAGES)) {
    const moment = formatMoment(locale, Date.UTC(2026, 10, 24, 15, 4), 'UTC');
    expect(moment).toMatch(/24.*2026|2026.*24/);
    expect(moment.match(/UTC/g)).toHaveLength(1);
  }
  expect(plain(formatMoment('en-US', Date.UTC(2026, 10, 24, 15, 4), 'UTC'))).toBe(
    'November 24, 2026 at 3:04 PM UTC',
  );
});

test.each([
  ['en-US', 'America/Chicago', 'November 26, 2026 at 10:07 PM CST'],
  ['en-GB', 'Europe/London', '27 November 2026 at 04:07 GMT'],
  ['pt-BR', 'America/Sao_Paulo', '27 de novembro de 2026 às 01:07 BRT'],
  ['fr-CA', 'America/Toronto', '26 novembre 2026 à 23 h 07 HNE'],
])('a moment in %s for %s is that day there: %s', (locale, timeZone, moment) => {
  expect(plain(formatMoment(locale, Date.UTC(2026, 10, 27, 4, 7), timeZone))).toBe(moment);
});

test('formatter caches of different languages never mix', () => {
  expect([formatNumber('pt-BR', 1.5), formatNumber('en-US', 1.5), formatNumber('pt-BR', 1.5)]).toEqual([
    '1,5',
    '1.5',
    '1,5',
  ]);
});

test.each(Object.values(LANGUAGES))(
  'times in %s have 12 or 24 hours as people there write them',
  (locale) => {
    const evening = Date.UTC(2026, 10, 21, 21, 5);
    const has12 = ['en-US', 'en-AU', 'en-CA'].includes(locale);
    for (const text of [formatMoment(locale, evening, 'UTC'), formatShortMoment(locale, evening, 'UTC')])
      expect(plain(text)).toMatch(has12 ? /\b9:05 [ap]\.?m\b/i : /\b21(?::| h )05\b/);
  },
);

test('every format with a time of day takes its hours from clockLocale', () => {
  const source = path.join(import.meta.dirname, '../../src');
  const files = fs.readdirSync(source, { recursive: true, encoding: 'utf8' });
  const wrong = files
    .filter((file) => /\.(?:ts|tsx|astro)$/.test(file))
    .flatMap((file) => {
      const code = fs.readFileSync(path.join(source, file), 'utf8');
      const calls = code.matchAll(/Intl\.DateTimeFormat\((?<locale>[^,]*),\s*\{(?<options>[^}]*)\}/g);
      return [...calls].flatMap(({ groups }) =>
        /timeStyle|hour|MOMENT/.test(groups?.['options'] ?? '') &&
        // Page.astro writes data-clock by clockLocale
        !/^(?:clockLocale\(|dataset\['clock'\])/.test(groups?.['locale'] ?? '')
          ? [`${file}: ${groups?.['locale']}`]
          : [],
      );
    });
  expect(wrong, 'Write new Intl.DateTimeFormat(clockLocale(locale), …): Argentina has 24 hours.').toEqual([]);
});

test('the date of an instant is that of its time zone, also beside midnight and when clocks change', () => {
  const zones = ['UTC', 'America/Chicago', 'Asia/Kathmandu', 'Pacific/Chatham', 'Australia/Lord_Howe'];
  for (const timeZone of zones) {
    const format = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone });
    for (const start of ['2026-03-07', '2026-04-03', '2026-12-31'])
      for (let minute = 0; minute < 3 * 24 * 60; minute += 7) {
        const instant = Date.parse(`${start}T00:00:00Z`) + minute * 60_000 + 59_999;
        const date = format.format(instant);
        expect(formatDate('en-US', instant, timeZone), `${timeZone} ${minute}`).toBe(date);
      }
  }
});

test('what is no instant has no date', () => {
  expect(() => formatDate('en-US', 'soon', 'UTC')).toThrow(RangeError);
});
