import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calendarOf, movedDay } from '#features/base/work-calendars/calendar.ts';
import {
  addDays,
  addMonths,
  dayOfParts,
  daysBetween,
  daysInMonth,
  fullYears,
  partsOfDay,
  weekdayOf,
} from '#features/base/work-calendars/days.ts';
import { easterOf, holidaysOf } from '#features/base/work-calendars/holidays.ts';

const anyDay = fc.integer({ min: -20_000, max: 60_000 }).map((days) => addDays('1970-01-01', days));

describe('days', () => {
  test.each([
    ['2026-11-28', 1, '2026-12-28'],
    ['2026-01-31', 1, '2026-03-01'],
    ['2024-02-29', 12, '2025-03-01'],
    ['2024-02-29', 48, '2028-02-29'],
    ['2026-01-31', -2, '2025-12-01'],
    ['2026-11-30', 14, '2028-01-30'],
  ])('%s and %i months is %s', (day, months, result) => expect(addMonths(day, months)).toBe(result));

  test.each([
    ['2025-11-28', '2026-11-27', 0],
    ['2025-11-27', '2026-11-27', 1],
    ['2024-02-29', '2025-02-28', 0],
    ['2024-02-29', '2025-03-01', 1],
    ['2026-11-27', '2020-01-01', 0],
  ])('from %s to %s are %i complete years', (from, to, years) => expect(fullYears(from, to)).toBe(years));

  test('days agree with those of Temporal', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: -5000, max: 5000 }), (day, days) => {
        const other = Temporal.PlainDate.from(day);
        expect(addDays(day, days)).toBe(other.add({ days }).toString());
        expect(weekdayOf(day)).toBe(other.dayOfWeek);
        expect(daysBetween(day, addDays(day, days))).toBe(days);
        const { year, month, day: number } = partsOfDay(day);
        expect(dayOfParts(year, month, number)).toBe(day);
        expect(daysInMonth(year, month)).toBe(other.daysInMonth);
      }),
    );
  });
});

describe('holidays', () => {
  test.each([
    [2025, '2025-04-20'],
    [2026, '2026-04-05'],
    [2027, '2027-03-28'],
    [2028, '2028-04-16'],
  ])('Easter of %i is %s', (year, day) => expect(easterOf(year)).toBe(day));

  test('the national holidays of 2026 are those of the law', () => {
    expect(
      holidaysOf(2026)
        .filter(({ kind }) => kind === 'holiday')
        .map(({ day }) => day),
    ).toEqual([
      '2026-01-01',
      '2026-04-03',
      '2026-04-21',
      '2026-05-01',
      '2026-09-07',
      '2026-10-12',
      '2026-11-02',
      '2026-11-15',
      '2026-11-20',
      '2026-12-25',
    ]);
    expect(
      holidaysOf(2023).some(({ key }) => key === 'blackAwareness'),
      'a holiday since 2024',
    ).toBe(false);
  });

  test('a state or city adds its holidays, which nobody has confirmed, and a workplace its own', () => {
    expect(calendarOf().holidayOn('2026-07-09')).toBeUndefined();
    expect(calendarOf({ places: ['BR-SP'] }).holidayOn('2026-07-09')).toMatchObject({ confirmed: false });
    expect(calendarOf({ own: ['2026-07-10'] }).holidayOn('2026-07-10')).toMatchObject({ key: 'local' });
  });
});

describe('days of business', () => {
  const { isBankDay, holidayOn, isRestDay } = calendarOf();
  test.each([
    ['2026-12-31', true],
    ['2026-12-25', false],
    ['2026-11-28', false], // Saturday
    ['2026-02-16', false], // Monday of Carnival
    ['2026-02-18', true], // Ash Wednesday
    ['2026-06-04', false], // Corpus Christi
  ])('banks work on %s: %s', (day, works) => expect(isBankDay(day)).toBe(works));

  test('Carnival is no holiday', () => expect(holidayOn('2026-02-17')).toBeUndefined());
  test('without more, the Sunday is the day of rest', () => {
    expect([isRestDay('2026-11-29'), isRestDay('2026-11-28')]).toEqual([true, false]);
  });

  test.each([
    ['2026-11-20', 'before', '2026-11-19'],
    ['2026-12-20', 'before', '2026-12-18'],
    ['2026-11-20', 'after', '2026-11-23'],
    ['2026-11-15', 'after', '2026-11-16'],
    ['2026-11-15', 'none', '2026-11-15'],
  ] as const)('%s moved %s is %s', (day, moving, result) =>
    expect(movedDay(day, moving, isBankDay)).toBe(result),
  );

  test('every day moves by less than a week, to a day of business', () => {
    fc.assert(
      fc.property(anyDay, fc.constantFrom('before', 'after'), (day, moving) => {
        const moved = movedDay(day, moving, isBankDay);
        expect(isBankDay(moved)).toBe(true);
        expect(Math.abs(daysBetween(day, moved))).toBeLessThan(7);
      }),
    );
  });
});
