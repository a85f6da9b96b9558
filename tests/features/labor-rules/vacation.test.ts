import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bySeverity } from '#features/brazil/labor-rules/findings.ts';
import { payTablesOn } from '#features/brazil/labor-rules/tables.ts';
import {
  entitledDays,
  isDivision,
  maxParts,
  openPeriods,
  periodBefore,
  periodFrom,
  sellableDays,
} from '#features/brazil/labor-rules/vacation.ts';
import { estimateVacation, paidParts } from '#features/brazil/labor-rules/vacation-estimate.ts';
import {
  checkVacation,
  lastStartFor,
  vacationPayDay,
  type VacationFacts,
  type VacationRule,
} from '#features/brazil/labor-rules/vacation-rules.ts';
import type { VacationPlan } from '#features/brazil/labor-rules/vacation.ts';
import { calendarOf } from '#features/base/work-calendars/calendar.ts';
import { addDays } from '#features/base/work-calendars/days.ts';

const calendar = calendarOf();
const usual: VacationPlan = {
  periodStart: '2025-03-10',
  absences: 0,
  parts: [{ start: '2026-12-21', days: 30 }],
  soldDays: 0,
};

/** What a rule says about the usual plan with these changes. */
function said(rule: VacationRule, plan: Partial<VacationPlan> = {}, facts: Partial<VacationFacts> = {}) {
  const all = checkVacation({ ...usual, ...plan }, { today: '2026-11-28', calendar, ...facts });
  return all.filter((finding) => finding.rule === rule);
}
const severity = (...input: Parameters<typeof said>): string | undefined => said(...input)[0]?.severity;
const starting = (start: string, days = 30): Partial<VacationPlan> => ({ parts: [{ start, days }] });

test.each([
  [5, 30],
  [6, 24],
  [14, 24],
  [15, 18],
  [23, 18],
  [24, 12],
  [32, 12],
  [33, 0],
])('V1: %i absences leave %i days', (absences, days) => {
  expect(entitledDays(absences)).toBe(days);
  expect(severity('V1', { absences, ...starting('2026-12-21', days + 1) })).toBe('blocks');
  if (days > 0) expect(severity('V1', { absences, ...starting('2026-12-21', days) })).toBeUndefined();
});

test('V2: a vacation before the year of work is complete needs a reason, and sells nothing', () => {
  const early = { periodStart: '2025-12-01', ...starting('2026-11-23', 20) };
  expect(said('V2', early)).toMatchObject([{ severity: 'confirm', vars: { date: '2026-11-30' } }]);
  expect(severity('V2', { ...early, soldDays: 10 })).toBe('blocks');
  expect(severity('V2', { periodStart: '2025-12-01', ...starting('2026-12-01') })).toBeUndefined();
});

test('V3: leave, benefit, absences or being away may lose the vacation', () => {
  expect(severity('V3', {}, { benefitDays: 181 })).toBe('confirm');
  expect(severity('V3', {}, { benefitDays: 180, paidLeaveDays: 30, daysAway: 60 })).toBeUndefined();
  expect(severity('V3', {}, { paidLeaveDays: 31 })).toBe('confirm');
  expect(severity('V3', {}, { daysAway: 61 })).toBe('confirm');
  expect(severity('V3', { absences: 33 })).toBe('confirm');
});

test('V4: the vacation ends within the year after the year of work', () => {
  expect(periodFrom('2025-03-10')).toEqual({ start: '2025-03-10', end: '2026-03-09', useBy: '2027-03-09' });
  expect(lastStartFor(30, '2025-03-10')).toBe('2027-02-08');
  expect(lastStartFor(20, '2025-03-10')).toBe('2027-02-18');
  expect(severity('V4', starting('2027-02-08'))).toBe('informs');
  expect(severity('V4', starting('2027-02-09'))).toBe('confirm');
  const rest = starting('2026-12-21', 15);
  expect(severity('V4', rest, { today: '2026-12-24' }), '61 days before the last start of what is open').toBe(
    'informs',
  );
  expect(severity('V4', rest, { today: '2026-12-26' })).toBe('warns');
});

test.each([
  ['2026-12-21', undefined],
  ['2026-12-22', undefined],
  ['2026-12-23', '2026-12-25'],
  ['2026-12-24', '2026-12-25'],
  ['2026-11-18', '2026-11-20'],
  ['2026-11-19', '2026-11-20'],
  ['2027-01-08', '2027-01-10'],
  ['2026-12-30', '2027-01-01'],
  ['2027-01-04', undefined],
  ['2026-04-01', '2026-04-03'],
])('V5: a start on %s is refused because of %s', (start, restDate) => {
  expect(said('V5', starting(start)).map(({ vars }) => vars['restDate'])).toEqual(restDate ? [restDate] : []);
});

test('V5 suggests the nearest days before and after', () => {
  expect(said('V5', starting('2026-12-23'))).toMatchObject([
    { severity: 'blocks', vars: { before: '2026-12-22', after: '2026-12-28', holiday: 'christmas' } },
  ]);
});

test('V5: the day of rest is that of the schedule', () => {
  const onMondays = { calendar: calendarOf({ restDays: [1] }) };
  expect(severity('V5', starting('2027-01-16'), onMondays), 'a Saturday').toBe('blocks');
  expect(severity('V5', starting('2027-01-15'), onMondays), 'a Friday').toBeUndefined();
});

test('V6: a start on a holiday or day of rest is a warning', () => {
  expect(severity('V6', starting('2026-12-25'))).toBe('warns');
  expect(severity('V6', starting('2026-12-27'))).toBe('warns');
  expect(severity('V6')).toBeUndefined();
});

test.each([
  ['2027-01-04', '2026-12-05'],
  ['2026-12-28', '2026-11-28'],
])('V7: of a vacation from %s the employee is told by %s', (start, date) => {
  expect(said('V7', starting(start), { noticeOn: date })).toMatchObject([
    { severity: 'informs', vars: { date } },
  ]);
  expect(severity('V7', starting(start), { noticeOn: addDays(date, 1) })).toBe('confirm');
});

test.each([
  ['2027-01-04', '2026-12-31'],
  ['2026-12-21', '2026-12-18'],
  ['2026-12-28', '2026-12-24'],
])('V8: a vacation from %s is paid by %s', (start, date) => {
  expect(vacationPayDay(start, calendar)).toBe(date);
  expect(severity('V8', starting(start), { today: date })).toBe('informs');
  expect(severity('V8', starting(start), { today: addDays(date, 1) })).toBe('warns');
});

test('V17: several parts need the consent of the employee', () => {
  const parts = [
    { start: '2026-12-21', days: 16 },
    { start: '2027-02-01', days: 14 },
  ];
  expect(said('V17', { parts }, { isAgreed: false })).toMatchObject([{ severity: 'blocks', path: 'agree' }]);
  expect(severity('V17', { parts }, { isAgreed: true })).toBeUndefined();
  expect(severity('V17', starting('2026-12-21'), { isAgreed: false })).toBeUndefined();
  expect(severity('V17', { parts }), 'nobody was asked').toBeUndefined();
});

describe('V9', () => {
  test.each([
    [30, [14, 11, 5], true],
    [30, [15, 10, 5], true],
    [30, [13, 12, 5], false],
    [30, [14, 12, 4], false],
    [30, [30], true],
    [20, [6, 14], true],
    [20, [5, 15], true],
    [20, [14, 6], true],
    [20, [10, 10], false],
    [20, [5, 5, 10], false],
    [24, [14, 5, 5], true],
    [18, [18], true],
    [18, [13, 5], false],
    [16, [11, 5], false],
    [12, [12], true],
    [12, [7, 5], false],
  ])('%i days as %j: %s', (days, parts, isGood) => expect(isDivision(parts, days)).toBe(isGood));

  test.each([
    [30, 3],
    [24, 3],
    [20, 2],
    [19, 2],
    [18, 1],
    [16, 1],
    [12, 1],
    [0, 1],
  ])('%i days have at most %i parts', (days, count) => expect(maxParts(days)).toBe(count));

  test('a part that leaves what cannot be divided is refused, and one that leaves more is not', () => {
    expect(severity('V9', starting('2026-12-21', 27))).toBe('blocks');
    expect(severity('V9', starting('2026-12-21', 10))).toBeUndefined();
    expect(said('V9', { soldDays: 10, ...starting('2026-12-21', 16) })).toMatchObject([
      { vars: { days: 20, most: 2 } },
    ]);
  });
});

test.each([
  [30, 10],
  [24, 8],
  [18, 6],
  [12, 4],
])('V10: of %i days %i may be sold', (days, sold) => expect(sellableDays(days)).toBe(sold));

test('V10 blocks what is beyond a third', () => {
  expect(severity('V10', { soldDays: 11, ...starting('2026-12-21', 19) })).toBe('blocks');
  expect(severity('V10', { soldDays: 10, ...starting('2026-12-21', 20) })).toBeUndefined();
});

test('V11: a sale is asked for 15 days before the year of work ends', () => {
  const sold = { soldDays: 10, ...starting('2026-12-21', 20) };
  expect(said('V11', sold)).toMatchObject([{ severity: 'confirm', vars: { date: '2026-02-22' } }]);
  expect(severity('V11', sold, { saleAskedOn: '2026-02-22' })).toBeUndefined();
  expect(severity('V11', sold, { saleAskedOn: '2026-02-23' })).toBe('confirm');
});

test('V12: who is under 18 has vacation with school', () => {
  expect(severity('V12', {}, { birth: '2009-01-01' })).toBe('warns');
  expect(severity('V12', {}, { birth: '2008-12-21' })).toBeUndefined();
});

test('V13: a sale in collective vacation needs an agreement', () => {
  expect(severity('V13', { soldDays: 10 }, { isCollective: true })).toBe('warns');
  expect(severity('V13', {}, { isCollective: true })).toBeUndefined();
});

test('V14: a vacation overlaps no leave, no other part, and not the end of the contract', () => {
  expect(severity('V14', {}, { busy: [{ start: '2027-01-19', end: '2027-02-01' }] })).toBe('blocks');
  expect(severity('V14', {}, { busy: [{ start: '2027-01-20', end: '2027-02-01' }] })).toBeUndefined();
  expect(severity('V14', {}, { contractEnd: '2027-01-18' })).toBe('blocks');
  const parts = [
    { start: '2026-12-21', days: 15 },
    { start: '2027-01-04', days: 15 },
  ];
  expect(said('V14', { parts })).toMatchObject([{ path: 'parts[1].start' }]);
});

test('V15: the event is sent at most 60 days before', () => {
  expect(said('V15', starting('2027-02-26'))).toMatchObject([
    { severity: 'informs', vars: { date: '2026-12-28' } },
  ]);
  expect(severity('V15', starting('2027-01-27'))).toBeUndefined();
});

test('V16: the 13th salary in advance is asked for in January', () => {
  expect(severity('V16', starting('2026-08-03'), { thirteenthAskedOn: '2026-05-10' })).toBe('warns');
  expect(severity('V16', starting('2026-08-03'), { thirteenthAskedOn: '2026-01-31' })).toBeUndefined();
  expect(severity('V16', starting('2026-08-03'))).toBeUndefined();
});

test.each([
  ['2026-12-21', '2021-03-10', '2025-03-10'],
  ['2026-12-21', '2026-02-01', '2026-02-01'],
  ['2027-02-01', '2026-02-01', '2026-02-01'],
  ['2026-12-21', '2024-02-29', '2025-03-01'],
  ['2020-01-01', '2024-02-29', '2024-02-29'],
])('on %s the newest complete year of somebody admitted on %s began on %s', (day, admission, start) => {
  expect(periodBefore(day, admission).start).toBe(start);
});

const anyDay = fc.integer({ min: 0, max: 3650 }).map((days) => addDays('2022-01-01', days));
const anyPlan: fc.Arbitrary<VacationPlan> = fc.record({
  periodStart: anyDay,
  absences: fc.integer({ min: 0, max: 366 }),
  parts: fc.array(fc.record({ start: anyDay, days: fc.integer({ min: 1, max: 60 }) }), { maxLength: 3 }),
  soldDays: fc.integer({ min: 0, max: 30 }),
});

test('the rules answer every plan, with a law and the gravest finding first', () => {
  fc.assert(
    fc.property(anyPlan, anyDay, fc.subarray([1, 2, 3, 4, 5, 6, 7] as const), (plan, today, restDays) => {
      const findings = bySeverity(checkVacation(plan, { today, calendar: calendarOf({ restDays }) }));
      for (const { law, vars } of findings) {
        expect(law).not.toBe('');
        for (const value of Object.values(vars)) expect(value).not.toBeNaN();
      }
      const order = ['blocks', 'confirm', 'warns', 'informs'];
      const places = findings.map((finding) => order.indexOf(finding.severity));
      expect(places).toEqual(places.toSorted());
    }),
  );
});

describe('the estimate', () => {
  const tables = payTablesOn('2026-11-28');
  if (!tables) throw new Error('no tables of 2026');
  const estimate = (salary: number, days: number, soldDays = 0, dependants = 0) =>
    estimateVacation({ salary, days, soldDays, dependants, thirteenthMonths: 0 }, tables);
  const amounts = (...input: Parameters<typeof estimate>) =>
    estimate(...input).lines.map(({ key, cents }) => [key, cents]);

  test('of 20 days and 10 sold', () => {
    expect(amounts(420_000, 20, 10, 1)).toEqual([
      ['vacation', 280_000],
      ['third', 93_333],
      ['sold', 140_000],
      ['soldThird', 46_667],
      ['inss', 33_660],
      ['irrf', 0],
    ]);
    const { lines, totals } = estimate(420_000, 20, 10, 1);
    expect(lines.at(-1)?.vars).toMatchObject({ taxCents: 7476, reductionCents: 7476 });
    expect(totals.net).toBe(526_340);
  });

  test('of 30 days', () => {
    expect(amounts(420_000, 30)).toEqual([
      ['vacation', 420_000],
      ['third', 140_000],
      ['inss', 58_551],
      ['irrf', 23_128],
    ]);
    expect(estimate(420_000, 30).lines.at(-1)?.vars).toMatchObject({
      taxCents: 46_429,
      reductionCents: 23_301,
    });
    expect(estimate(420_000, 30).totals.net).toBe(478_321);
  });

  test('of a high salary', () => {
    expect(amounts(780_000, 30).slice(2)).toEqual([
      ['inss', 98_809],
      ['irrf', 167_955],
    ]);
    expect(estimate(780_000, 30).totals).toEqual({ due: 1_040_000, deducted: 266_764, net: 773_236 });
  });

  test('what is sold, and the half of the 13th salary, are paid with the first part', () => {
    const order = {
      salary: 300_000,
      dependants: 0,
      parts: [
        { start: '2026-08-03', days: 14 },
        { start: '2026-10-05', days: 6 },
      ],
      soldDays: 10,
      hasThirteenth: true,
      admission: '2021-03-10',
    };
    expect(paidParts(order)).toMatchObject([
      { days: 14, soldDays: 10, thirteenthMonths: 12 },
      { days: 6, soldDays: 0, thirteenthMonths: 0 },
    ]);
    const [first] = paidParts(order);
    const line =
      first && estimateVacation(first, tables).lines.find(({ key }) => key === 'thirteenthAdvance');
    expect(line?.cents).toBe(150_000);
    expect(paidParts({ ...order, admission: '2026-02-10' })[0]?.thirteenthMonths, 'admitted this year').toBe(
      6,
    );
  });

  test('is never negative, and its sums agree', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 999_999_999 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 0, max: 10 }),
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 0, max: 12 }),
        (salary, days, soldDays, dependants, thirteenthMonths) => {
          const { lines, totals } = estimateVacation(
            { salary, days, soldDays, dependants, thirteenthMonths },
            tables,
          );
          const sum = (kind: string): number =>
            lines.filter((line) => line.kind === kind).reduce((all, { cents }) => all + cents, 0);
          for (const { cents } of lines) expect(Number.isSafeInteger(cents) && cents >= 0).toBe(true);
          expect(totals).toEqual({
            due: sum('due'),
            deducted: sum('deducted'),
            net: sum('due') - sum('deducted'),
          });
          expect(totals.net).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});

describe('the years of work that have vacation left', () => {
  const admission = '2022-03-10';
  const today = '2026-11-27';
  const recorded = (startsOn: string, takenDays = 0, soldDays = 0, absences = 0) => ({
    startsOn,
    takenDays,
    soldDays,
    absences,
  });

  test('are computed from the admission, with what was taken, sold and lost by absences', () => {
    expect(
      openPeriods(
        admission,
        [recorded('2023-03-10', 30), recorded('2024-03-10', 10, 10), recorded('2025-03-10', 0, 0, 6)],
        today,
      ),
    ).toEqual([
      { start: '2024-03-10', end: '2025-03-09', useBy: '2026-03-09', leftDays: 10 },
      { start: '2025-03-10', end: '2026-03-09', useBy: '2027-03-09', leftDays: 24 },
    ]);
  });

  test('are those that can still be used, if nothing is recorded', () => {
    expect(openPeriods(admission, [], today).map(({ start }) => start)).toEqual(['2025-03-10']);
  });

  test('are none in the first year', () => {
    expect(openPeriods('2026-01-10', [], today)).toEqual([]);
  });
});
