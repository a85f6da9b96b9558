import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkAdmission,
  minimumSalary,
  registerBy,
  trialEnds,
  type AdmissionFacts,
  type AdmissionPlan,
  type AdmissionRule,
} from '#features/brazil/labor-rules/admission-rules.ts';
import { CATEGORIES, END_REASONS, LEAVE_REASONS } from '#features/brazil/labor-rules/esocial-tables.ts';
import {
  checkInternship,
  internshipLimit,
  maxInterns,
  type InternFacts,
  type InternPlan,
  type InternRule,
} from '#features/brazil/labor-rules/intern-rules.ts';
import {
  checkLeave,
  leaveEventDue,
  maternityEnd,
  paidByEmployer,
  paternityDays,
  type LeaveFacts,
  type LeavePlan,
  type LeaveRule,
} from '#features/brazil/labor-rules/leave-rules.ts';
import { checkPartner, partnerContribution } from '#features/brazil/labor-rules/partner-rules.ts';
import type { ScheduledDay } from '#features/brazil/labor-rules/schedules.ts';
import { REASONS } from '#features/brazil/labor-rules/termination.ts';
import { calendarOf } from '#features/base/work-calendars/calendar.ts';
import { addDays, type Weekday } from '#features/base/work-calendars/days.ts';

const calendar = calendarOf();
const HOUR = 60;

/** A day of a schedule from hour to hour, with a break from noon. */
const day = (weekday: number, from: number, to: number, pause = 60): ScheduledDay => ({
  weekday: weekday as Weekday,
  start: from * HOUR,
  end: to * HOUR,
  ...(pause > 0 && { pause: { start: 12 * HOUR, end: 12 * HOUR + pause } }),
});
const WEEK = [1, 2, 3, 4, 5];

describe('an admission', () => {
  const usual: AdmissionPlan = { start: '2026-12-14', category: '101', examOn: '2026-12-10' };
  const said = (
    rule: AdmissionRule,
    plan: Partial<AdmissionPlan> = {},
    facts: Partial<AdmissionFacts> = {},
  ) =>
    checkAdmission({ ...usual, ...plan }, { today: '2026-11-27', calendar, ...facts }).filter(
      (finding) => finding.rule === rule,
    );
  const severity = (...input: Parameters<typeof said>): string | undefined => said(...input)[0]?.severity;

  test('A1: is registered on the last working day before it begins', () => {
    expect(registerBy('2026-11-30', calendar)).toBe('2026-11-27');
    expect(severity('A1', { start: '2026-11-30' })).toBe('warns');
    expect(severity('A1', { start: '2026-11-28' })).toBe('warns');
    expect(severity('A1', { start: '2026-11-27' })).toBe('confirm');
    expect(said('A1', { start: '2026-12-01' })).toMatchObject([
      { severity: 'informs', vars: { date: '2026-11-30' } },
    ]);
    expect(registerBy('2026-11-23', calendar), 'after a holiday on Friday').toBe('2026-11-19');
  });

  test('A2: of children is refused, and of minors at night', () => {
    const birth = '2010-11-28';
    expect(said('A2', { birth, start: '2026-11-27' })).toMatchObject([
      { severity: 'blocks', vars: { age: 15 } },
    ]);
    expect(severity('A2', { birth, start: '2026-11-27', category: '103' })).toBeUndefined();
    expect(severity('A2', { birth, start: '2026-11-28' })).toBeUndefined();
    expect(severity('A2', { birth, start: '2026-11-28', isAtNight: true })).toBe('blocks');
    expect(severity('A2', { birth, start: '2026-11-28', schedule: [day(1, 18, 23)] })).toBe('blocks');
    expect(severity('A2', { birth: '2013-01-01', category: '103' })).toBe('blocks');
  });

  test('A3: needs an examination before it begins', () => {
    expect(severity('A3', { examOn: '2026-12-15' })).toBe('confirm');
    const { examOn: _, ...unknown } = usual;
    const findings = checkAdmission({ ...unknown, start: '2026-11-27' }, { today: '2026-11-27', calendar });
    expect(findings.some(({ rule }) => rule === 'A3')).toBe(true);
    expect(severity('A3')).toBeUndefined();
  });

  test.each([
    [[45, 45], undefined],
    [[30, 60], undefined],
    [[60, 45], 'blocks'],
    [[45, 30, 15], 'blocks'],
  ])('A4: a trial of %j days: %s', (trial, expected) => expect(severity('A4', { trial })).toBe(expected));

  test('A4: the periods of a trial end on these days', () => {
    expect(trialEnds('2026-12-01', [45, 45])).toEqual(['2027-01-14', '2027-02-28']);
  });

  test('A5: more than 44 hours a week are refused, more than 8 a day are a warning', () => {
    expect(severity('A5', { weekMinutes: 44 * HOUR + 1 })).toBe('blocks');
    expect(severity('A5', { weekMinutes: 44 * HOUR })).toBeUndefined();
    expect(severity('A5', { schedule: WEEK.map((each) => day(each, 8, 18)) })).toBe('blocks');
    expect(severity('A5', { schedule: [day(1, 8, 18)] })).toBe('warns');
    expect(severity('A5', { schedule: WEEK.map((each) => day(each, 8, 17)) })).toBeUndefined();
  });

  test('A6: breaks, and rests between days and in a week, are long enough', () => {
    expect(severity('A6', { schedule: [day(1, 8, 17, 30)] })).toBe('warns');
    expect(severity('A6', { schedule: WEEK.map((each) => day(each, 8, 17)) })).toBeUndefined();
    expect(severity('A6', { schedule: [day(1, 8, 12, 0)] }), 'four hours need no break').toBeUndefined();
    expect(severity('A6', { schedule: [day(1, 8, 13, 10)] })).toBe('warns');
    const late = [day(1, 14, 23, 0), day(2, 8, 12, 0)];
    expect(severity('A6', { schedule: late }), 'nine hours between two days').toBe('warns');
    const always = [1, 2, 3, 4, 5, 6, 7].map((each) => day(each, 9, 13, 0));
    expect(severity('A6', { schedule: always }), 'no day of rest').toBe('warns');
  });

  test('A7: part time has its hours', () => {
    expect(severity('A7', { partTime: 2, weekMinutes: 30 * HOUR })).toBeUndefined();
    expect(severity('A7', { partTime: 2, weekMinutes: 31 * HOUR })).toBe('blocks');
    expect(severity('A7', { partTime: 3, weekMinutes: 27 * HOUR })).toBe('blocks');
    expect(severity('A7', { weekMinutes: 44 * HOUR })).toBeUndefined();
  });

  test('A8: the salary is at least the minimum for the hours', () => {
    expect(minimumSalary('2026-12-14', 'month')).toBe(162_100);
    expect(minimumSalary('2026-12-14', 'hour')).toBe(737);
    expect(minimumSalary('2027-01-04', 'month'), 'no table').toBeUndefined();
    expect(severity('A8', { salary: { cents: 162_099, unit: 'month' } })).toBe('confirm');
    expect(severity('A8', { salary: { cents: 162_100, unit: 'month' } })).toBeUndefined();
    expect(severity('A8', { salary: { cents: 736, unit: 'hour' } })).toBe('confirm');
    expect(
      severity('A8', { salary: { cents: 81_050, unit: 'month' }, weekMinutes: 22 * HOUR }),
    ).toBeUndefined();
  });

  test('A9 and A10: somebody who works here, or did lately', () => {
    expect(severity('A9', {}, { isActiveHere: true })).toBe('confirm');
    expect(severity('A9')).toBeUndefined();
    expect(severity('A10', {}, { dismissedOn: '2026-09-15' })).toBe('warns');
    expect(severity('A10', {}, { dismissedOn: '2026-09-14' })).toBeUndefined();
    expect(severity('A10', { trial: [45] }, { fixedTermEndedOn: '2026-06-14' })).toBe('warns');
    expect(severity('A10', { trial: [45] }, { fixedTermEndedOn: '2026-06-13' })).toBeUndefined();
  });

  test('A11: an apprentice is 14 to 24, for two years at most, in a course', () => {
    const course = { endsOn: '2028-12-13', hasEntity: true, hasFinishedSchool: false };
    const apprentice = { category: '103', birth: '2009-05-01', apprenticeship: course };
    expect(severity('A11', apprentice)).toBeUndefined();
    expect(severity('A11', { ...apprentice, birth: '2002-12-14' })).toBe('blocks');
    expect(severity('A11', { ...apprentice, apprenticeship: { ...course, endsOn: '2028-12-14' } })).toBe(
      'blocks',
    );
    expect(severity('A11', { ...apprentice, apprenticeship: { ...course, hasEntity: false } })).toBe(
      'blocks',
    );
    const eightHours = { ...apprentice, schedule: [day(1, 8, 17)] };
    expect(severity('A11', eightHours)).toBe('blocks');
    expect(
      severity('A11', { ...eightHours, apprenticeship: { ...course, hasFinishedSchool: true } }),
    ).toBeUndefined();
  });

  test.each([
    [99, undefined],
    [100, 2],
    [201, 7],
    [501, 21],
    [1001, 51],
  ])('A12: of %i employees %s have a disability', (employees, needed) =>
    expect(said('A12', {}, { employees })[0]?.vars['needed']).toBe(needed),
  );
});

describe('an internship', () => {
  const usual: InternPlan = {
    start: '2026-12-01',
    end: '2027-11-30',
    level: 'higher',
    isMandatory: false,
    dayMinutes: 6 * HOUR,
    weekMinutes: 30 * HOUR,
    grant: 100_000,
    transport: 20_000,
    hasInsurance: true,
  };
  const severity = (rule: InternRule, plan: Partial<InternPlan> = {}, facts: InternFacts = {}) =>
    checkInternship({ ...usual, ...plan }, facts).find((finding) => finding.rule === rule)?.severity;

  test('has at most six hours a day and 30 a week', () => {
    expect(severity('hours')).toBeUndefined();
    expect(severity('hours', { dayMinutes: 6 * HOUR + 1 })).toBe('blocks');
    expect(severity('hours', { weekMinutes: 30 * HOUR + 1 })).toBe('blocks');
    expect(severity('hours', { level: 'special' })).toBe('blocks');
    const holidays = { isWithoutClasses: true, dayMinutes: 8 * HOUR, weekMinutes: 40 * HOUR };
    expect(severity('hours', holidays)).toBeUndefined();
  });

  test('lasts at most two years, unless with a disability', () => {
    expect(internshipLimit('2026-12-01')).toBe('2028-11-30');
    expect(severity('term', { end: '2028-11-30' })).toBeUndefined();
    expect(severity('term', { end: '2028-12-01' })).toBe('blocks');
    expect(severity('term', { end: '2028-12-01', hasDisability: true })).toBeUndefined();
  });

  test('is paid unless it is mandatory, and insured always', () => {
    expect(severity('pay', { grant: 0 })).toBe('blocks');
    expect(severity('pay', { transport: 0 })).toBe('blocks');
    expect(severity('pay', { grant: 0, transport: 0, isMandatory: true })).toBeUndefined();
    expect(severity('insurance', { hasInsurance: false })).toBe('blocks');
  });

  test('has a supervisor of at most ten', () => {
    expect(severity('supervisor', {}, { supervised: 10 })).toBeUndefined();
    expect(severity('supervisor', {}, { supervised: 11 })).toBe('warns');
  });

  test.each([
    [0, 0],
    [1, 1],
    [5, 1],
    [6, 2],
    [10, 2],
    [11, 5],
    [25, 5],
    [26, 6],
    [100, 20],
  ])('%i employees have at most %i interns of a school', (employees, interns) => {
    expect(maxInterns(employees)).toBe(interns);
    const facts = { employees, interns: interns + 1 };
    expect(severity('share', { level: 'medium' }, facts)).toBe('warns');
    expect(severity('share', { level: 'higher' }, facts)).toBeUndefined();
  });

  test('has recess, reports and an event', () => {
    expect(checkInternship(usual, {}).map(({ rule, vars }) => [rule, vars['date'] ?? vars['days']])).toEqual([
      ['recess', 30],
      ['report', '2027-06-01'],
      ['event', '2027-01-15'],
    ]);
  });
});

describe('a leave', () => {
  const said = (rule: LeaveRule, plan: LeavePlan, facts: Partial<LeaveFacts> = {}) =>
    checkLeave(plan, { today: plan.start, calendar, ...facts }).filter((finding) => finding.rule === rule);
  const ill = (start: string, days: number): LeavePlan => ({
    reason: '03',
    start,
    end: addDays(start, days - 1),
  });
  const october = { earlier: [{ start: '2026-10-01', end: '2026-10-10' }] };

  test('L1: the employer pays 15 days', () => {
    expect(said('L1', ill('2026-12-01', 20))).toMatchObject([{ vars: { days: 15, date: '2026-12-16' } }]);
    expect(said('L1', { reason: '17', start: '2026-12-01' })).toEqual([]);
  });

  test('L2: days of the same reason within 60 days add up', () => {
    expect(said('L2', ill('2026-11-05', 10), october)).toMatchObject([
      { vars: { days: 5, date: '2026-11-10' } },
    ]);
    expect(said('L2', ill('2026-12-20', 10), october)).toEqual([]);
    expect(said('L1', ill('2026-12-20', 10), october)).toMatchObject([{ vars: { days: 15 } }]);
    expect(said('L2', { ...ill('2026-11-05', 10), isSameReason: false }, october)).toEqual([]);
    const facts = { today: '', calendar, earlier: [{ start: '2026-10-01', end: '2026-10-30' }] };
    expect(paidByEmployer(ill('2026-11-05', 10), facts).employerDays).toBe(0);
    const three = {
      earlier: [
        { start: '2026-01-01', end: '2026-01-10' }, // long before
        { start: '2026-10-01', end: '2026-10-06' },
        { start: '2026-10-20', end: '2026-10-23' },
      ],
    };
    expect(said('L2', ill('2026-11-05', 10), three)[0]?.vars['days'], 'six and four are used').toBe(5);
  });

  test.each([
    [ill('2026-12-01', 20), {}, '2026-12-16'],
    [ill('2026-12-01', 15), {}, undefined],
    [{ ...ill('2026-12-01', 15), reason: '01' }, {}, '2027-01-15'],
    [ill('2026-11-05', 10), october, '2026-11-10'],
    [
      ill('2026-11-05', 10),
      { earlier: [{ start: '2026-10-01', end: '2026-10-30', benefitFrom: '2026-10-16' }] },
      '2026-11-05',
    ],
    [{ reason: '16', start: '2026-12-01' }, {}, '2027-01-15'],
  ])('L3: of %j the event is due', (plan, facts, date) => {
    expect(leaveEventDue(plan, { today: plan.start, calendar, ...facts })).toBe(date);
    expect(said('L3', plan, facts)[0]?.vars['date']).toBe(date);
  });

  test('L4: an accident at work is reported on the next working day, a death at once', () => {
    const accident = { reason: '01', start: '2026-12-24' };
    expect(said('L4', accident)).toMatchObject([{ severity: 'warns', vars: { date: '2026-12-28' } }]);
    expect(said('L4', { ...accident, isDeath: true })[0]?.vars['date']).toBe('2026-12-24');
    expect(said('L4', accident, { today: '2026-12-29' })[0]?.severity).toBe('confirm');
    expect(said('L4', { ...accident, isReported: true })).toEqual([]);
  });

  test('L5: after 30 days an examination comes before the return', () => {
    expect(said('L5', ill('2026-12-01', 30))).toHaveLength(1);
    expect(said('L5', ill('2026-12-01', 29))).toEqual([]);
  });

  test('L6: maternity leave has 120 days, from the discharge after a long stay', () => {
    expect(maternityEnd({ reason: '17', start: '2026-12-01' })).toBe('2027-03-30');
    const stay = { reason: '17', start: '2026-12-01', birthOn: '2026-12-01', dischargedOn: '2027-01-10' };
    expect(maternityEnd(stay)).toBe('2027-05-10');
    expect(maternityEnd({ ...stay, dischargedOn: '2026-12-15' }), 'two weeks').toBe('2027-03-30');
    expect(maternityEnd({ ...stay, start: '2026-11-21' }), 'ten days before the birth').toBe('2027-04-30');
    expect(said('L6', stay)[0]?.vars['date']).toBe('2027-05-10');
  });

  test('L7: 60 days more are for companies of the program', () => {
    expect(said('L7', { reason: '33', start: '2026-12-01' })).toHaveLength(1);
    expect(said('L7', { reason: '33', start: '2026-12-01', isInProgram: true })).toEqual([]);
    expect(said('L7', { reason: '43', start: '2026-12-01' })).toEqual([]);
  });

  test('L8: paternity leave has five days, until somebody confirms another law', () => {
    expect(paternityDays('2026-12-31')).toBe(5);
    expect(paternityDays('2027-01-01')).toBe(5);
    expect(said('L8', { reason: '16', start: '2026-12-01', birthOn: '2026-12-01' })[0]?.vars).toEqual({
      days: 5,
    });
  });

  test('L9: only vacations and the extension of maternity leave are sent ahead', () => {
    const today = '2026-11-27';
    expect(said('L9', { reason: '15', start: '2027-01-26' }, { today })).toEqual([]);
    expect(said('L9', { reason: '15', start: '2027-01-27' }, { today })[0]?.vars['date']).toBe('2026-11-28');
    expect(said('L9', { reason: '18', start: '2027-03-27' }, { today })).toEqual([]);
    expect(said('L9', { reason: '03', start: '2026-11-28' }, { today })).toHaveLength(1);
  });

  test('L10: unpaid leave needs a text, and a mandate the union', () => {
    expect(said('L10', { reason: '21', start: '2026-12-01', text: ' ' })).toMatchObject([{ path: 'text' }]);
    expect(said('L10', { reason: '24', start: '2026-12-01' })).toMatchObject([{ path: 'union' }]);
    expect(said('L10', { reason: '24', start: '2026-12-01', union: '52440817000184' })).toEqual([]);
  });

  test('L11: a leave overlaps no other one', () => {
    const busy = [{ start: '2026-12-20', end: '2027-01-18' }];
    expect(said('L11', ill('2026-12-01', 20), { busy })).toHaveLength(1);
    expect(said('L11', ill('2026-12-01', 19), { busy })).toEqual([]);
    expect(said('L11', { reason: '03', start: '2026-12-01' }, { busy }), 'without an end').toHaveLength(1);
  });
});

describe('a partner', () => {
  test.each([
    [847_555, 0, 93_231],
    [162_100, 0, 17_831],
    [1_200_000, 0, 93_231],
    [500_000, 600_000, 27_231],
    [500_000, 900_000, 0],
  ])('of %i cents, with %i elsewhere, contributes %i', (proLabore, otherPay, contribution) =>
    expect(partnerContribution(proLabore, '2026-12-01', otherPay)).toBe(contribution),
  );

  test('has no number without a table, and findings by what is paid', () => {
    expect(partnerContribution(500_000, '2027-01-01')).toBeUndefined();
    const rules = (plan: Partial<Parameters<typeof checkPartner>[0]>) =>
      checkPartner({ start: '2026-12-01', isAdministrator: true, ...plan }).map(({ rule }) => rule);
    expect(rules({})).toEqual(['none', 'event']);
    expect(rules({ isAdministrator: false })).toEqual(['event']);
    expect(rules({ proLabore: 162_099, otherPay: 1 })).toEqual(['minimum', 'ceiling', 'event']);
    expect(rules({ proLabore: 162_100 })).toEqual(['event']);
  });
});

test('the codes of the rules are in the tables of eSocial', () => {
  for (const reason of REASONS) expect(END_REASONS[reason]).toBeDefined();
  for (const reason of ['01', '03', '15', '16', '17', '18', '21', '24', '33', '43'])
    expect(LEAVE_REASONS[reason]).toBeDefined();
  for (const category of ['101', '103', '901']) expect(CATEGORIES[category]).toBeDefined();
});

describe('no rule throws, whatever is planned', () => {
  const days = fc.integer({ min: 0, max: 5000 }).map((each) => addDays('2018-01-01', each));
  const check = (findings: readonly { law: string; vars: object }[]): void => {
    for (const { law, vars } of findings) {
      expect(law).not.toBe('');
      for (const value of Object.values(vars)) expect(value).not.toBeNaN();
    }
  };

  test('of an admission', () => {
    const schedule = fc.array(
      fc.record({
        weekday: fc.constantFrom(1, 2, 3, 4, 5, 6, 7) as fc.Arbitrary<Weekday>,
        start: fc.integer({ min: 0, max: 1440 }),
        end: fc.integer({ min: 0, max: 2880 }),
      }),
      { maxLength: 7 },
    );
    fc.assert(
      fc.property(
        days,
        days,
        days,
        fc.constantFrom(...Object.keys(CATEGORIES)),
        fc.array(fc.integer({ min: 0, max: 200 })),
        schedule,
        (start, today, birth, category, trial, ofWeek) =>
          check(
            checkAdmission(
              { start, category, birth, trial, schedule: ofWeek, salary: { cents: 1, unit: 'month' } },
              { today, calendar },
            ),
          ),
      ),
    );
  });

  test('of a leave', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(LEAVE_REASONS)),
        days,
        fc.option(fc.integer({ min: 1, max: 400 }), { nil: undefined }),
        fc.array(fc.record({ start: days, end: days })),
        days,
        (reason, start, length, earlier, today) => {
          const plan = { reason, start, ...(length !== undefined && { end: addDays(start, length - 1) }) };
          const facts = { today, calendar, earlier, busy: earlier };
          check(checkLeave(plan, facts));
          const { employerDays } = paidByEmployer(plan, facts);
          expect(employerDays).toBeGreaterThanOrEqual(0);
          expect(employerDays).toBeLessThanOrEqual(15);
        },
      ),
    );
  });
});
