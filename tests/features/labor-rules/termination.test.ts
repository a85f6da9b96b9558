import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { monthsOfYear, monthsSince } from '#features/brazil/labor-rules/months.ts';
import { payTablesOn } from '#features/brazil/labor-rules/tables.ts';
import {
  balanceDays,
  noticeDays,
  NOTICES,
  projectedEnd,
  reasonRule,
  REASONS,
} from '#features/brazil/labor-rules/termination.ts';
import {
  earlyEndCents,
  estimateTermination,
  type TerminationInput,
} from '#features/brazil/labor-rules/termination-estimate.ts';
import {
  checkTermination,
  STABILITIES,
  terminationPayDay,
  type TerminationFacts,
  type TerminationPlan,
  type TerminationRule,
} from '#features/brazil/labor-rules/termination-rules.ts';
import { calendarOf } from '#features/base/work-calendars/calendar.ts';
import { addDays, addMonths } from '#features/base/work-calendars/days.ts';

const calendar = calendarOf();
const usual: TerminationPlan = {
  salary: 350_000,
  admission: '2024-02-01',
  lastDay: '2026-11-27',
  reason: '02',
  notice: 'paid',
  stabilities: [],
};

/** What a rule says about the usual plan with these changes. */
function said(
  rule: TerminationRule,
  plan: Partial<TerminationPlan> = {},
  facts: Partial<TerminationFacts> = {},
) {
  const all = checkTermination({ ...usual, ...plan }, { today: '2026-11-28', calendar, ...facts });
  return all.filter((finding) => finding.rule === rule);
}
const severity = (...input: Parameters<typeof said>): string | undefined => said(...input)[0]?.severity;

test.each([
  ['2026-01-10', '2026-11-27', 30],
  ['2025-11-28', '2026-11-27', 30],
  ['2025-11-27', '2026-11-27', 33],
  ['2021-03-10', '2026-09-05', 45],
  ['2006-09-05', '2026-09-05', 90],
  ['2001-09-05', '2026-09-05', 90],
])('T1: from %s to %s the notice has %i days', (admission, day, days) => {
  expect(noticeDays(admission, day)).toBe(days);
  expect(said('T1', { admission, lastDay: day })[0]?.vars['days']).toBe(days);
});

test('T1 is of notice that the employer gives', () => {
  expect(said('T1', { reason: '07', notice: 'notWorked' })).toEqual([]);
  expect(said('T1', { notice: 'worked' })).toEqual([]);
});

test.each([
  ['2021-03-10', '2026-09-05', '2026-10-20'],
  ['2024-02-01', '2026-11-27', '2027-01-02'],
])('T2: a contract from %s to %s ends with its notice on %s', (admission, lastDay, end) => {
  expect(projectedEnd({ admission, lastDay, reason: '02', notice: 'paid' })).toBe(end);
  expect(said('T1', { admission, lastDay })[0]?.vars['date']).toBe(end);
});

test.each([
  ['2026-09-05', '2026-09-15'],
  ['2026-11-27', '2026-12-07'],
  ['2026-11-10', '2026-11-19'], // the 20th is a holiday
  ['2026-11-11', '2026-11-19'], // and the 21st a Saturday
])('T3: what is due at the end on %s is paid by %s', (lastDay, date) => {
  expect(terminationPayDay(lastDay, calendar)).toBe(date);
  expect(severity('T3', { lastDay }, { today: date })).toBe('informs');
  expect(severity('T3', { lastDay }, { today: addDays(date, 1) })).toBe('warns');
});

test('T4: notice that is worked ends after its days', () => {
  const worked = { notice: 'worked', noticeOn: '2026-10-22' } as const;
  expect(said('T4', worked)).toMatchObject([{ severity: 'informs', vars: { days: 36, date: '2026-11-27' } }]);
  expect(said('T4', { ...worked, reason: '07' })).toMatchObject([{ vars: { days: 30, date: '2026-11-21' } }]);
  expect(said('T4', { notice: 'worked' })).toEqual([]);
});

test('T5: the early end of a fixed term costs half of what is left', () => {
  const trial = { admission: '2026-10-01', termEnd: '2026-12-29', notice: 'none', salary: 240_000 } as const;
  expect(said('T5', { ...trial, reason: '03' })).toMatchObject([
    { severity: 'informs', vars: { days: 32, halfCents: 128_000 }, law: 'CLT, art. 479' },
  ]);
  expect(earlyEndCents(240_000, 32)).toBe(128_000);
  expect(said('T5', { ...trial, reason: '04' })).toMatchObject([{ law: 'CLT, art. 480' }]);
  expect(said('T5', { ...trial, reason: '03', hasClause: true }), 'like a dismissal').toEqual([]);
});

test('T6: after its last day a trial is no longer one', () => {
  const trial = { admission: '2026-12-01', termEnd: '2027-02-28', notice: 'none' } as const;
  expect(severity('T6', { ...trial, lastDay: '2027-03-01', reason: '06' })).toBe('blocks');
  expect(severity('T6', { ...trial, lastDay: '2027-02-28', reason: '06' })).toBeUndefined();
  expect(severity('T6', { ...trial, lastDay: '2027-03-01', reason: '02' })).toBe('warns');
});

test('T7: who is protected is not dismissed without a reason', () => {
  for (const reason of ['02', '03', '33'] as const)
    expect(said('T7', { reason, stabilities: STABILITIES }).map(({ severity: of }) => of)).toEqual(
      STABILITIES.map(() => 'confirm'),
    );
  expect(said('T7', { reason: '07', stabilities: ['pregnancy'] })).toEqual([]);
});

test('T8: an end within 30 days before the base month costs a salary more', () => {
  const january = { baseMonth: 1 };
  expect(said('T8', january), 'the contract ends on 2 January').toEqual([]);
  const inDecember = { ...january, notice: 'worked', lastDay: '2026-12-15' } as const;
  expect(said('T8', inDecember)).toMatchObject([
    { severity: 'warns', vars: { date: '2027-01-01', end: '2026-12-15', salaryCents: 350_000 } },
  ]);
  expect(severity('T8', { ...inDecember, lastDay: '2026-12-02' })).toBe('warns');
  expect(severity('T8', { ...inDecember, lastDay: '2026-12-01' })).toBeUndefined();
  expect(severity('T8', { ...inDecember, reason: '07' })).toBeUndefined();
});

test('T9: nobody is dismissed while on benefit, or on vacation without a reason', () => {
  expect(severity('T9', {}, { away: 'benefit' })).toBe('blocks');
  expect(severity('T9', { reason: '10' }, { away: 'benefit' })).toBe('confirm');
  expect(severity('T9', {}, { away: 'vacation' })).toBe('confirm');
  expect(severity('T9')).toBeUndefined();
});

test('T10: the event is sent at most 10 days before', () => {
  expect(said('T10', { lastDay: '2026-12-09' })).toMatchObject([{ vars: { date: '2026-11-29' } }]);
  expect(said('T10', { lastDay: '2026-12-08' })).toEqual([]);
});

test('T11 and T12: an agreement informs, and just cause needs facts', () => {
  expect(severity('T11', { reason: '33' })).toBe('informs');
  expect(severity('T12', { reason: '01', notice: 'none' })).toBe('confirm');
  expect([severity('T11'), severity('T12')]).toEqual([undefined, undefined]);
});

test('T13: for who is under 18 a guardian signs', () => {
  expect(severity('T13', {}, { birth: '2008-11-28' })).toBe('warns');
  expect(severity('T13', {}, { birth: '2008-11-27' })).toBeUndefined();
});

test('T14: an examination is needed unless one is recent', () => {
  expect(severity('T14')).toBe('warns');
  expect(severity('T14', {}, { examinedOn: addDays('2026-11-27', -90) })).toBeUndefined();
  expect(severity('T14', {}, { examinedOn: addDays('2026-11-27', -91) })).toBe('warns');
  const lowRisk = { riskGrade: 2, examinedOn: addDays('2026-11-27', -135) } as const;
  expect(severity('T14', {}, lowRisk)).toBeUndefined();
  expect(severity('T14', { reason: '10' })).toBeUndefined();
});

describe('months', () => {
  test.each([
    ['2020-03-10', '2026-12-20', '2027-01-19', 13, 10],
    ['2020-01-15', '2026-07-31', '2026-08-24', 8, 7],
    ['2024-02-01', '2026-11-27', '2027-01-02', 12, 11],
    ['2021-03-10', '2026-09-05', '2026-10-20', 10, 7],
  ])('of %s to %s, with notice to %s', (admission, lastDay, end, thirteenth, vacation) => {
    const year = Number(lastDay.slice(0, 4));
    expect(monthsOfYear(year, admission, end) + monthsOfYear(year + 1, admission, end)).toBe(thirteenth);
    const years = Number(lastDay.slice(0, 4)) - Number(admission.slice(0, 4));
    const anniversary = [years, years - 1]
      .map((each) => addMonths(admission, each * 12))
      .find((day) => day <= lastDay);
    expect(monthsSince(anniversary ?? '', end)).toBe(vacation);
  });

  test('half a month counts as one', () => {
    expect(monthsOfYear(2026, '2026-11-16', '2026-11-30')).toBe(1);
    expect(monthsOfYear(2026, '2026-11-17', '2026-11-30')).toBe(0);
    expect(monthsSince('2026-11-16', '2026-11-30')).toBe(1);
    expect(monthsSince('2026-11-16', '2026-11-29')).toBe(0);
    expect(monthsSince('2025-11-16', '2027-11-30'), 'at most a year').toBe(12);
  });

  test.each([
    ['2024-02-01', '2026-11-27', 27],
    ['2024-02-01', '2026-10-31', 30],
    ['2024-02-01', '2026-02-28', 30],
    ['2026-11-10', '2026-11-27', 18],
    ['2026-10-02', '2026-10-31', 30],
    ['2026-02-02', '2026-02-28', 27],
  ])('the last month of %s to %s has %i days of salary', (admission, lastDay, days) =>
    expect(balanceDays(admission, lastDay)).toBe(days),
  );
});

describe('the estimate', () => {
  const tables = payTablesOn('2026-11-27');
  if (!tables) throw new Error('no tables of 2026');
  const base: TerminationInput = {
    salary: 350_000,
    admission: '2024-02-01',
    lastDay: '2026-11-27',
    reason: '02',
    notice: 'paid',
    dependants: 0,
    overdueDays: 0,
    doubleDays: 0,
    absences: 0,
    thirteenthAdvanced: 0,
    deductsNotice: false,
  };
  const estimate = (changes: Partial<TerminationInput> = {}) =>
    estimateTermination({ ...base, ...changes }, tables);
  const amounts = (changes: Partial<TerminationInput> = {}): Record<string, number> =>
    Object.fromEntries(estimate(changes).lines.map(({ key, cents }) => [key, cents]));

  test('of a dismissal whose notice ends in the next year', () => {
    expect(amounts()).toEqual({
      balance: 315_000,
      notice: 420_000,
      thirteenth: 350_000,
      proportionalVacation: 320_833,
      proportionalThird: 106_944,
      inss: 26_660,
      irrf: 0,
      inssThirteenth: 30_860,
      irrfThirteenth: 0,
      fgts: 86_800,
    });
    expect(estimate().totals).toEqual({ due: 1_512_777, deducted: 57_520, net: 1_455_257 });
  });

  test('of a resignation without working the notice, which may be deducted', () => {
    const resigns = { reason: '07', notice: 'notWorked' } as const;
    expect(amounts(resigns)).toMatchObject({
      thirteenth: 320_833,
      proportionalVacation: 291_667,
      proportionalThird: 97_222,
      inss: 26_660,
      inssThirteenth: 27_360,
      noticeOwed: 350_000,
    });
    const [noted, deducted] = [estimate(resigns), estimate({ ...resigns, deductsNotice: true })];
    expect(noted.totals.net - deducted.totals.net).toBe(350_000);
  });

  test('of an agreement', () => {
    const agreed = { reason: '33', notice: 'paid' } as const;
    expect(projectedEnd({ ...base, ...agreed })).toBe('2026-12-15');
    expect(amounts(agreed)).toMatchObject({
      halfNotice: 210_000,
      thirteenth: 350_000,
      proportionalVacation: 320_833,
    });
    expect(estimate(agreed).lines.find(({ key }) => key === 'halfNotice')?.vars).toMatchObject({ days: 36 });
  });

  test('agrees with a case that was worked by hand', () => {
    expect(
      amounts({ salary: 1_200_000, dependants: 1, admission: '2021-03-10', lastDay: '2026-09-05' }),
    ).toMatchObject({
      balance: 200_000,
      notice: 1_800_000,
      thirteenth: 1_000_000,
      proportionalVacation: 700_000,
      proportionalThird: 233_333,
      inss: 15_569,
      inssThirteenth: 98_809,
      irrfThirteenth: 151_741,
    });
  });

  test.each([
    ['01', ['balance']],
    ['02', ['balance', 'notice', 'thirteenth', 'vacation', 'fine']],
    ['17', ['balance', 'notice', 'thirteenth', 'vacation', 'fine']],
    ['03', ['balance', 'earlyEnd', 'thirteenth', 'vacation', 'fine']],
    ['04', ['balance', 'thirteenth', 'vacation', 'owed']],
    ['05', ['balance', 'half', 'thirteenth', 'vacation', 'fine']],
    ['06', ['balance', 'thirteenth', 'vacation']],
    ['07', ['balance', 'thirteenth', 'vacation', 'owed']],
    ['10', ['balance', 'thirteenth', 'vacation']],
    ['33', ['balance', 'half', 'thirteenth', 'vacation', 'fine']],
  ] as const)('of reason %s has %j', (reason, parts) => {
    const notice = reason === '07' ? 'notWorked' : (reasonRule(reason).notices[0] ?? 'none');
    const found = amounts({ reason, notice, termEnd: '2026-12-29', fgtsBalance: 800_000, overdueDays: 30 });
    const has = (key: string): boolean => found[key] !== undefined;
    expect({
      balance: has('balance'),
      notice: has('notice'),
      half: has('halfNotice'),
      earlyEnd: has('earlyEnd'),
      thirteenth: has('thirteenth'),
      vacation: has('proportionalVacation') && has('proportionalThird'),
      fine: has('fgtsFine'),
      owed: has('noticeOwed') || has('earlyEndOwed'),
    }).toEqual(
      Object.fromEntries(
        ['balance', 'notice', 'half', 'earlyEnd', 'thirteenth', 'vacation', 'fine', 'owed'].map((part) => [
          part,
          (parts as readonly string[]).includes(part),
        ]),
      ),
    );
    expect([found['overdueVacation'], found['overdueThird']], 'overdue vacation is always due').toEqual([
      350_000, 116_667,
    ]);
  });

  test('of shared fault is half of the notice, of the 13th salary, of the vacation and of the fine', () => {
    const shared = amounts({ reason: '05', fgtsBalance: 800_000 });
    expect(shared).toMatchObject({ halfNotice: 210_000, thirteenth: 175_000, proportionalVacation: 160_417 });
    const { fgts = 0, fgtsFine } = shared;
    expect(fgtsFine).toBe(Math.round((800_000 + fgts) * 0.2));
  });

  test('has the fine only where the balance of FGTS is known', () => {
    expect(amounts()['fgtsFine']).toBeUndefined();
    expect(amounts({ fgtsBalance: 800_000 })['fgtsFine']).toBe(354_720);
  });

  test('of a fixed term with a clause is that of a dismissal', () => {
    const early = { reason: '03', termEnd: '2026-12-29', hasClause: true } as const;
    expect(amounts({ ...early, notice: 'paid' })).toEqual(amounts());
  });

  test('deducts what was paid of the 13th salary, at most what is left of it', () => {
    expect(amounts({ thirteenthAdvanced: 175_000 })['thirteenthAdvanced']).toBe(175_000);
    expect(amounts({ thirteenthAdvanced: 900_000 })['thirteenthAdvanced']).toBe(350_000 - 30_860);
  });

  test('counts absences, and vacation that is too late twice', () => {
    expect(amounts({ absences: 10 })['proportionalVacation']).toBe(256_667);
    expect(amounts({ absences: 33 })['proportionalVacation']).toBeUndefined();
    expect(amounts({ overdueDays: 30, doubleDays: 15 })['doubleVacation']).toBe(233_333);
  });

  const days = fc.integer({ min: 0, max: 7300 }).map((each) => addDays('2006-11-01', each));
  test('answers every input, is never negative, and its sums agree', () => {
    fc.assert(
      fc.property(
        fc.record({
          salary: fc.integer({ min: 0, max: 999_999_999 }),
          admission: days,
          worked: fc.integer({ min: 0, max: 9000 }),
          reason: fc.constantFrom(...REASONS),
          notice: fc.constantFrom(...NOTICES),
          dependants: fc.integer({ min: 0, max: 20 }),
          overdueDays: fc.integer({ min: 0, max: 60 }),
          doubleDays: fc.integer({ min: 0, max: 60 }),
          absences: fc.integer({ min: 0, max: 366 }),
          thirteenthAdvanced: fc.integer({ min: 0, max: 999_999_999 }),
          deductsNotice: fc.boolean(),
          hasClause: fc.boolean(),
          fgtsBalance: fc.option(fc.integer({ min: 0, max: 999_999_999 }), { nil: undefined }),
          termEnd: fc.option(days, { nil: undefined }),
          baseMonth: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
          stabilities: fc.subarray([...STABILITIES]),
          noticeOn: fc.option(days, { nil: undefined }),
        }),
        ({ worked, ...input }) => {
          const lastDay = addDays(input.admission, worked);
          const { lines, totals } = estimateTermination({ ...input, lastDay }, tables);
          const sum = (kind: string): number =>
            lines.filter((each) => each.kind === kind).reduce((all, { cents }) => all + cents, 0);
          for (const { cents } of lines) expect(Number.isSafeInteger(cents) && cents >= 0).toBe(true);
          expect(totals).toEqual({
            due: sum('due'),
            deducted: sum('deducted'),
            net: sum('due') - sum('deducted'),
          });
          expect(totals.net).toBeGreaterThanOrEqual(0);
          for (const { law, vars } of checkTermination(
            { ...input, lastDay },
            { today: '2026-11-28', calendar },
          )) {
            expect(law).not.toBe('');
            for (const value of Object.values(vars)) expect(value).not.toBeNaN();
          }
        },
      ),
    );
  });
});
