import { describe, expect, test } from 'vitest';
import { addDays, weekdayOf } from '#features/base/work-calendars/days.ts';
import {
  addBusinessDays,
  isBusinessDay,
  TAX_CALENDARS,
  type TaxCalendar,
} from '#features/base/work-calendars/public-holidays.ts';
import { dueDays, type Taxpayer } from '#features/content/tax-calendar/due-days.ts';
import { RULES, ruleOf } from '#features/content/tax-calendar/obligations/all.ts';
import { ownDueDays } from '#features/content/tax-calendar/own-dates.ts';
import {
  applies,
  calendarOfProfile,
  COUNTRIES,
  FACTS,
  validFacts,
  valuesOf,
  type Fact,
} from '#features/content/tax-calendar/profile.ts';

const taxpayer = (calendar: TaxCalendar, more: Partial<Taxpayer> = {}): Taxpayer => ({
  calendar,
  yearEnd: '',
  lastDigit: undefined,
  ...more,
});

/** The dates of a rule in a year. */
const datesIn = (key: string, year: number, payer: Partial<Taxpayer> = {}): string[] => {
  const rule = ruleOf(key);
  if (!rule) throw new Error(`No rule ${key}`);
  return dueDays(rule, taxpayer(calendarOfProfile(rule.country, {}), payer), {
    from: `${year}-01-01`,
    until: `${year}-12-31`,
  }).map(({ dueOn }) => dueOn);
};

describe('the dates that the law and the authorities give', () => {
  test.each<[key: string, date: string, payer?: Partial<Taxpayer>]>([
    ['us-941', '2026-11-02'],
    ['us-941', '2027-02-01'],
    ['us-940', '2027-02-01'],
    ['us-w2', '2027-02-01'],
    ['us-1099nec', '2027-02-01'],
    ['us-1099misc-e', '2027-03-31'],
    ['us-deposit', '2026-12-15'],
    ['us-1065', '2027-03-15'],
    ['us-1120s', '2027-03-15'],
    ['us-1040', '2027-04-15'],
    ['us-1040', '2028-04-18'],
    ['us-1040', '2022-04-18'],
    ['us-1040', '2033-04-18'],
    ['us-1120', '2027-04-15'],
    ['us-1040es', '2027-01-15'],
    ['us-ext-1065', '2027-09-15'],
    ['us-ext-1040', '2027-10-15'],
    ['us-990', '2027-05-17'],
    ['us-5500', '2027-08-02'],
    ['us-fbar', '2027-04-15'],
    ['us-1095c', '2027-03-31'],
    ['gb-paye', '2026-11-20'],
    ['gb-paye', '2019-12-20'],
    ['gb-paye', '2011-04-21'],
    ['gb-paye-q', '2027-01-22'],
    ['gb-cis', '2026-12-19'],
    ['gb-vat-may', '2027-01-07'],
    ['gb-sa-file', '2027-01-31'],
    ['gb-sa-pay1', '2027-01-29'],
    ['gb-sa-pay2', '2027-07-30'],
    ['gb-mtd', '2027-02-07'],
    ['gb-ct-pay', '2026-12-31', { yearEnd: '03-31' }],
    ['gb-ct-pay', '2026-12-01', { yearEnd: '02-28' }],
    ['gb-ct600', '2027-03-31', { yearEnd: '03-31' }],
    ['gb-accounts', '2026-12-31', { yearEnd: '03-31' }],
    ['gb-p60', '2027-05-31'],
    ['gb-p11d', '2027-07-06'],
    ['gb-psa', '2027-10-22'],
    ['ca-remit', '2026-11-16'],
    ['ca-remit-q', '2027-01-15'],
    ['ca-remit-t1', '2026-12-29'],
    ['ca-t4', '2027-03-01'],
    ['ca-t1', '2027-04-30'],
    ['ca-t1', '2028-05-01'],
    ['ca-t1', '2016-05-02'],
    ['ca-t1-se', '2027-06-15'],
    ['ca-t1-se', '2025-06-16'],
    ['ca-instal', '2026-12-15'],
    ['ca-t2', '2027-08-31', { yearEnd: '02-28' }],
    ['ca-t2', '2026-03-23', { yearEnd: '09-23' }],
    ['ca-t2-pay', '2027-03-01'],
    ['ca-gst-m', '2026-11-30'],
    ['ca-gst-a', '2027-03-31'],
    ['ca-t3', '2027-03-31'],
    ['ca-t3', '2028-03-30'],
    ['ca-nr4', '2027-03-31'],
    ['ca-rl1', '2027-03-01'],
    ['au-bas-q', '2027-03-01'],
    ['au-bas-m', '2026-11-23'],
    ['au-stp', '2027-07-14'],
    ['au-tpar', '2027-08-30'],
    ['au-fbt', '2027-05-21'],
    ['au-itr-self', '2026-11-02'],
    ['au-itr-co', '2027-03-01'],
    ['au-itr-co2', '2027-03-31'],
    ['au-itr-agent', '2027-05-17'],
    ['au-gst-a', '2027-03-01'],
    ['au-payroll-tax', '2026-12-07'],
    ['ar-auto', '2026-12-07', { lastDigit: '0' }],
    ['ar-auto', '2026-12-09', { lastDigit: '4' }],
    ['ar-auto', '2026-12-10', { lastDigit: '9' }],
    ['ar-suss', '2026-11-09', { lastDigit: '3' }],
    ['ar-suss', '2026-11-10', { lastDigit: '6' }],
    ['ar-suss', '2026-11-11', { lastDigit: '7' }],
    ['ar-iva', '2026-11-18', { lastDigit: '1' }],
    ['ar-iva', '2026-11-19', { lastDigit: '2' }],
    ['ar-iva', '2026-11-20', { lastDigit: '5' }],
    ['ar-iva', '2026-11-24', { lastDigit: '6' }],
    ['ar-iva', '2026-11-25', { lastDigit: '8' }],
    ['ar-mono', '2026-12-21'],
    ['ar-casas', '2026-01-12'],
    ['ar-casas', '2026-12-10'],
    ['br-wages', '2026-12-05'],
    ['br-wages', '2027-01-07'],
    ['br-fgts', '2026-11-19'],
    ['br-fgts', '2026-12-18'],
    ['br-darf', '2026-11-19'],
    ['br-das', '2026-11-23'],
    ['br-das-mei', '2026-11-23'],
    ['br-esocial', '2026-11-16'],
    ['br-reinf', '2026-11-16'],
    ['br-dctfweb-13', '2026-12-18'],
    ['br-13-first', '2026-11-30'],
    ['br-13-second', '2026-12-18'],
    ['br-defis', '2027-03-31'],
  ])('%s is due on %s', (key, date, payer) => {
    expect(datesIn(key, Number(date.slice(0, 4)), payer)).toContain(date);
  });

  test('superannuation in Australia is due seven business days after payday, which does not count', () => {
    for (const [payday, due] of [
      ['2026-11-27', '2026-12-08'],
      ['2026-12-18', '2026-12-31'],
      ['2026-07-15', '2026-07-24'],
    ] as const)
      expect(addBusinessDays('au', payday, 7)).toBe(due);
    expect(datesIn('au-super-middle', 2026)).toContain('2026-07-24');
    // its first payday is in July 2026, and the quarters before it are over by then
    expect(datesIn('au-super', 2026).filter((day) => day < '2026-07-01')).toEqual([]);
    expect(datesIn('au-super-q', 2026)).toEqual(['2026-01-28', '2026-04-28', '2026-07-28']);
  });

  test('remitters of threshold 2 in Canada pay four times a month, on the third business day after', () => {
    expect(datesIn('ca-remit-t2', 2026).filter((day) => day.startsWith('2026-12'))).toEqual([
      '2026-12-03',
      '2026-12-10',
      '2026-12-17',
      '2026-12-24',
    ]);
  });

  test('without the last digit of the tax id there is no date that depends on it', () => {
    expect(datesIn('ar-iva', 2026)).toEqual([]);
  });
});

describe('rules and holidays', () => {
  test('every rule has a key of its own, facts that its country asks for, and dates within forty years', () => {
    const rules = Object.values(RULES).flat();
    expect(new Set(rules.map(({ key }) => key)).size).toBe(rules.length);
    for (const rule of rules) {
      expect(rule.key.startsWith(`${rule.country}-`), rule.key).toBe(true);
      for (const [fact, values] of Object.entries(rule.when))
        for (const value of values) expect(valuesOf(rule.country, fact as Fact), rule.key).toContain(value);
      const window = { from: rule.from ?? '2010-01-01', until: rule.to ?? '2050-12-31' };
      const payer = taxpayer(calendarOfProfile(rule.country, {}), { lastDigit: '7', yearEnd: '02-29' });
      expect(dueDays(rule, payer, window).length, rule.key).toBeGreaterThan(0);
    }
  });

  test('a date that moves is a business day, on the right side of the day by the rule; one that stays is that day', () => {
    for (const rule of Object.values(RULES).flat())
      for (const lastDigit of ['0', '5', '9']) {
        const calendar = calendarOfProfile(rule.country, {});
        const payer = taxpayer(calendar, { lastDigit, yearEnd: '09-23' });
        const dates = dueDays(rule, payer, { from: '2015-01-01', until: '2055-12-31' });
        for (const { nominalOn, dueOn } of dates) {
          const label = `${rule.key} ${nominalOn}`;
          if (rule.roll === 'none') expect(dueOn, label).toBe(nominalOn);
          else if (rule.roll === 'after') expect(dueOn >= nominalOn, label).toBe(true);
          else expect(dueOn <= nominalOn, label).toBe(true);
          if (rule.roll !== 'none') expect(isBusinessDay(calendar, dueOn), label).toBe(true);
        }
      }
  });

  test('the holidays that are observed on another day are those of official lists', () => {
    for (const [calendar, holidays] of [
      ['us', ['2026-07-03', '2021-12-31', '2027-06-18', '2026-11-26']],
      ['gb-eng', ['2027-12-27', '2027-12-28', '2026-12-28', '2028-01-03', '2026-04-06']],
      ['gb-sct', ['2026-11-30', '2027-01-04', '2026-08-03']],
      ['gb-nir', ['2026-03-17', '2026-07-13']],
      ['ca', ['2026-05-18', '2026-12-28', '2026-09-30', '2026-04-06']],
      ['ca-qc', ['2026-06-24']],
      ['ca-on', ['2026-02-16', '2026-08-03']],
      ['ar', ['2026-11-23', '2026-06-15', '2026-02-16']],
      ['br', ['2026-11-20', '2026-04-03', '2026-02-17']],
    ] as const)
      for (const holiday of holidays) {
        expect(isBusinessDay(calendar, holiday), `${calendar} ${holiday}`).toBe(false);
        expect(weekdayOf(holiday), holiday).toBeLessThan(6);
      }
    expect(isBusinessDay('gb-sct', '2026-04-06')).toBe(true);
    expect(isBusinessDay('gb-eng', '2026-11-30')).toBe(true);
    expect(isBusinessDay('ca', '2026-06-24')).toBe(true);
    expect(isBusinessDay('us', '2020-06-19')).toBe(true);
  });

  test('no calendar is closed for more than a week', () => {
    for (const calendar of TAX_CALENDARS)
      for (let day = '2020-01-01'; day < '2045-01-01'; day = addDays(day, 5))
        expect(addBusinessDays(calendar, day, 1) <= addDays(day, 8), `${calendar} ${day}`).toBe(true);
  });
});

describe('whom a rule concerns', () => {
  test('a rule applies when all its facts are so, may apply when one is unknown, and else does not', () => {
    const when = { entity: ['person'], estimates: ['yes'] } as const;
    expect(applies(when, { entity: 'person', estimates: 'yes' })).toBe('yes');
    expect(applies(when, { entity: 'person' })).toBe('maybe');
    expect(applies(when, { entity: 'corporation' })).toBe('no');
    expect(applies(when, {})).toBe('maybe');
  });

  test('only facts and values that the country knows are kept', () => {
    expect(validFacts('br', { regime: 'simples', vat: 'march', employees: 'maybe', __proto__: 'x' })).toEqual(
      {
        regime: 'simples',
      },
    );
    for (const country of COUNTRIES) expect(Object.keys(FACTS[country]).length).toBeGreaterThan(3);
  });
});

describe('dates that the firm adds', () => {
  const window = { from: '2026-01-01', until: '2026-12-31' };

  test('a date on the 31st is on the last day of months that have none, and moves if that is asked', () => {
    const days = ownDueDays({ startsOn: '2026-01-31', repeats: 'monthly', roll: 'none' }, 'gb-eng', window);
    expect(days.map(({ dueOn }) => dueOn).slice(0, 4)).toEqual([
      '2026-01-31',
      '2026-02-28',
      '2026-03-31',
      '2026-04-30',
    ]);
    const before = ownDueDays({ startsOn: '2026-01-31', repeats: 'once', roll: 'before' }, 'gb-eng', window);
    expect(before).toEqual([{ period: '2026-01-31', nominalOn: '2026-01-31', dueOn: '2026-01-30' }]);
  });

  test('a date repeats every three months or every year', () => {
    const days = (repeats: 'quarterly' | 'yearly') =>
      ownDueDays({ startsOn: '2024-02-29', repeats, roll: 'none' }, 'us', window).map(({ dueOn }) => dueOn);
    expect(days('quarterly')).toEqual(['2026-02-28', '2026-05-29', '2026-08-29', '2026-11-29']);
    expect(days('yearly')).toEqual(['2026-02-28']);
  });
});
