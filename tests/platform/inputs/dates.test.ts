import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  choosableParts,
  dateFromText,
  dateOfParts,
  datePartsOf,
  defaultLimits,
  isDate,
} from '#platform/inputs/dates.ts';
import { withMask } from '#platform/inputs/masks.ts';

const LIMITS = defaultLimits(2026);

test('a date is read as day, month and year, with or without slashes, and as ISO 8601', () => {
  for (const text of ['28/02/2026', '28022026', ' 28.02.2026 ', '2026-02-28'])
    expect(dateFromText(text), text).toBe('2026-02-28');
});

test.each(['31/02/2026', '29/02/2025', '1/2/2026', '28/02/26', '00/01/2026', 'soon', '28/13/2026'])(
  'the typed date %s is refused',
  (text) => {
    expect(isDate(dateFromText(text))).toBe(false);
  },
);

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
