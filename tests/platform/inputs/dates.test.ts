import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PAST_YEARS, UPCOMING_YEARS } from '#platform/forms/forms.server.ts';
import { choosableParts, dateOfParts, datePartsOf, yearLimits, isDate } from '#platform/inputs/dates.ts';
import { dateFromText, monthFromText, namedDay } from '#platform/inputs/typed-dates.ts';
import { date } from '#platform/inputs/schemas.server.ts';
import { LANGUAGES } from '#platform/text/languages.ts';
import { withMask } from '#platform/inputs/masks.ts';

const LIMITS = yearLimits(2026);

test('a date is read as day, month and year, with or without slashes, and as ISO 8601', () => {
  for (const text of ['28/02/2026', '28022026', ' 28.02.2026 ', '2026-02-28'])
    expect(dateFromText(text), text).toBe('2026-02-28');
});

test.each([
  ['1/2/2027'],
  ['01/02/27'],
  ['1.2.27'],
  ['1 2 2027'],
  ['01-02-2027'],
  ['01‑02‑2027'],
  ['2027-2-1'],
  ['2027/02/01'],
  ['20270201'],
  ['\u200E01/02/2027'],
  ['01/02/2027\u202C'],
  ['\u00A01/2/2027'],
  ['０１／０２／２０２７'],
  ['1 de fevereiro de 2027'],
  ['1º de fevereiro de 2027'],
  ['1o fev. 2027'],
  ['segunda-feira, 1 de fevereiro de 2027'],
  ['1 de febrero de 2027'],
  ['lunes 1 de febrero del 2027'],
  ['1er février 2027'],
  ['le 1er févr. 2027'],
  ['1 février 27'],
  ['1 February 2027'],
  ['1st of February 2027'],
  ['February 1, 2027'],
  ['Monday, Feb 1st, 2027'],
  ['1-Feb-27'],
  ["1 Feb '27"],
  ['FEVEREIRO 1, 2027'],
])('%j is 1 February 2027', (text) => {
  expect(dateFromText(text, 2026)).toBe('2027-02-01');
});

test('the names of all months are read in every language, whole and short', () => {
  for (const locale of Object.values(LANGUAGES))
    for (const month of ['long', 'short'] as const)
      for (let number = 0; number < 12; number += 1) {
        const name = new Intl.DateTimeFormat(locale, { month, timeZone: 'UTC' }).format(
          Date.UTC(2027, number, 1),
        );
        const date = `2027-${String(number + 1).padStart(2, '0')}-15`;
        expect(dateFromText(`15 ${name} 2027`), `${name} in ${locale}`).toBe(date);
      }
});

test.each([
  ['46', '2046-02-28'],
  ['47', '1947-02-28'],
  ['26', '2026-02-28'],
  ['00', '2000-02-28'],
  ['99', '1999-02-28'],
])('in 2026 the year %s is that of %s', (year, date) => {
  expect(dateFromText(`28/02/${year}`, 2026)).toBe(date);
});

test.each([['fevereiro de 2027'], ['Feb 2027'], ['02/2027'], ['2/27'], ['2027-02'], ['2027-2']])(
  '%j is February 2027',
  (text) => {
    expect(monthFromText(text, 2026)).toBe('2027-02');
  },
);

test.each([
  ['31 de dezembro', '12-31'],
  ['Dec 31', '12-31'],
  ['29 février', '02-29'],
  ['30 September 2026', '09-30'],
  ['soon', undefined],
])('the day of a year %j is %j', (text, day) => {
  expect(namedDay(text)).toBe(day);
});

test('a day that its month does not have is said to be missing there', () => {
  const problem = (text: string) => date().safeParse(dateFromText(text)).error?.issues[0];
  expect(problem('29/02/2027')).toMatchObject({
    message: expect.stringContaining('dayMissing') as string,
    params: { vars: { day: '29', month: '02', year: '2027' } },
  });
  expect(problem('31 de abril de 2027')?.message).toContain('dayMissing');
  expect(problem('soon')?.message).toContain('invalidDate');
  expect(problem('32/01/2027')?.message).toContain('invalidDate');
  expect(problem('29/02/2028')).toBeUndefined();
});

test.each([
  '31/02/2026',
  '29/02/2025',
  '00/01/2026',
  'soon',
  '28/13/2026',
  '1 jui 2027',
  '1/2',
  '1/2/3/2027',
  '12/2026/01',
  '1 of the 2027',
])('the typed date %s is refused', (text) => {
  expect(isDate(dateFromText(text))).toBe(false);
});

test('every date is shown as it is typed, and read as it was', () => {
  const dates = fc.date({ min: new Date('1900-01-01'), max: new Date('2100-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(dates, (instant) => {
      const date = instant.toISOString().slice(0, 10);
      expect(dateFromText(withMask('date', date))).toBe(date);
      expect(dateOfParts(datePartsOf(date))).toBe(date);
      expect(isDate(date)).toBe(true);
    }),
  );
});

describe('the selects of a date', () => {
  test('the years are 151, from 100 years ago', () => {
    const { years } = choosableParts({ year: '', month: '' }, LIMITS);
    expect([years.length, years[0], years.at(-1)]).toEqual([151, '1926', '2076']);
  });

  test.each([
    ['2024', '02', 29],
    ['2025', '02', 28],
    ['2000', '02', 29],
    ['', '02', 29],
    ['2026', '04', 30],
    ['2026', '', 31],
  ])('the year %s and the month %s have %i days', (year, month, count) => {
    expect(choosableParts({ year, month }, LIMITS).days).toHaveLength(count);
  });

  test('the first and the last month offer only the days within the limits', () => {
    const limits = { min: '2025-11-15', max: '2026-02-10' };
    expect(choosableParts({ year: '2025', month: '11' }, limits)).toMatchObject({ months: ['11', '12'] });
    expect(choosableParts({ year: '2025', month: '11' }, limits).days[0]).toBe('15');
    expect(choosableParts({ year: '2026', month: '02' }, limits).days.at(-1)).toBe('10');
    expect(choosableParts({ year: '2025', month: '12' }, limits).days).toHaveLength(31);
  });

  test('exactly the dates that exist can be chosen', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1926, max: 2076 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 31 }),
        (...numbers) => {
          const [year = '', month = '', day = ''] = numbers.map((part) => String(part).padStart(2, '0'));
          const isOffered = choosableParts({ year, month }, LIMITS).days.includes(day);
          expect(isOffered).toBe(isDate(`${year}-${month}-${day}`));
        },
      ),
    );
  });

  test('a date that is not complete keeps its parts', () => {
    expect(dateOfParts({ year: '2026', month: '', day: '28' })).toBe('2026--28');
    expect(datePartsOf('2026--28')).toEqual({ year: '2026', month: '', day: '28' });
    expect(dateOfParts({ year: '', month: '', day: '' })).toBe('');
  });
});

test('selects of a date until which something is asked offer no year that nobody means', () => {
  expect(yearLimits(2026, UPCOMING_YEARS)).toEqual({ min: '2025-01-01', max: '2036-12-31' });
  expect(yearLimits(2026, PAST_YEARS)).toEqual({ min: '2016-01-01', max: '2026-12-31' });
});
