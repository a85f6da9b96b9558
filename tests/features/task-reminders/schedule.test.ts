import { expect, test } from 'vitest';
import { dueKeys, type ReminderFacts } from '#features/tasks/task-reminders/schedule.ts';
import { addDays } from '#platform/text/time-zones.ts';

const ASKED = Date.parse('2027-02-01T12:00:00Z');
const facts = (changed: Partial<ReminderFacts> = {}): ReminderFacts => ({
  status: 'New',
  dueOn: '2027-03-15',
  askedAt: ASKED,
  askedOn: '2027-02-01',
  changedAt: ASKED,
  changedOn: '2027-02-01',
  promisedOn: undefined,
  ownPromise: undefined,
  told: new Set(),
  ...changed,
});
const noon = (today: string): number => Date.parse(`${today}T12:00:00Z`);

/** The days on which somebody is reminded who gets a reminder on every day but these. */
function remindedOn(
  task: Partial<ReminderFacts>,
  {
    from = '2027-02-02',
    days = 160,
    isDown,
    restDays = '',
  }: { from?: string; days?: number; isDown?: (day: string) => boolean; restDays?: string } = {},
): string[] {
  const told = new Set<string>();
  const reminded: string[] = [];
  for (let today = from, left = days; left > 0; left -= 1, today = addDays(today, 1)) {
    if (isDown?.(today) || restDays.includes(String(Temporal.PlainDate.from(today).dayOfWeek))) continue;
    const keys = dueKeys(facts({ ...task, told }), { now: noon(today), today, restDays });
    for (const key of keys) told.add(key);
    if (keys.length > 0) reminded.push(today);
  }
  return reminded;
}

test('a task is reminded of 7 days and 1 day before it is due, on the day, and weekly for eight weeks', () => {
  expect(remindedOn({})).toEqual([
    '2027-03-08',
    '2027-03-14',
    '2027-03-15',
    '2027-03-22',
    '2027-03-29',
    '2027-04-05',
    '2027-04-12',
    '2027-04-19',
    '2027-04-26',
    '2027-05-03',
    '2027-05-10',
  ]);
});

test('a task without a due date is reminded of weekly, four times', () => {
  expect(remindedOn({ dueOn: null })).toEqual(['2027-02-08', '2027-02-15', '2027-02-22', '2027-03-01']);
});

test('after an outage of four days there is one reminder, of the latest milestone', () => {
  const isDown = (today: string): boolean => today >= '2027-03-13' && today <= '2027-03-16';
  expect(remindedOn({}, { isDown }).slice(0, 3)).toEqual(['2027-03-08', '2027-03-17', '2027-03-22']);
});

test('milestones before the request are not told after it', () => {
  const asked = {
    askedAt: noon('2027-03-12'),
    askedOn: '2027-03-12',
    changedAt: noon('2027-03-12'),
    changedOn: '2027-03-12',
  };
  expect(remindedOn(asked, { from: '2027-03-12' }).slice(0, 3)).toEqual([
    '2027-03-14',
    '2027-03-15',
    '2027-03-22',
  ]);
});

test('a task that was requested within 20 hours is not reminded of', () => {
  const late = Date.parse('2027-03-14T18:00:00Z');
  const asked = facts({ askedAt: late, askedOn: '2027-03-14' });
  const day = { today: '2027-03-15', restDays: '' };
  expect(dueKeys(asked, { ...day, now: late + 19 * 3_600_000 })).toEqual([]);
  expect(dueKeys(asked, { ...day, now: late + 20 * 3_600_000 })).toEqual(['due:2027-03-15']);
});

test('who worked on a task today is not reminded of it, but on its due day', () => {
  const worked = (today: string) =>
    dueKeys(facts({ status: 'WIP', changedAt: noon(today), changedOn: today }), {
      now: noon(today) + 1,
      today,
      restDays: '',
    });
  expect(worked('2027-03-14')).toEqual([]);
  expect(worked('2027-03-15')).toEqual(['due:2027-03-15']);
  expect(worked('2027-03-22')).toEqual([]);
});

test.each(['Received', 'Done', 'Cancelled'] as const)('nobody is reminded of a task that is %s', (status) => {
  expect(remindedOn({ status })).toEqual([]);
});

test('a promised date ends reminders until it is over; breaking it is said once, then the weeks go on', () => {
  const promised = { promisedOn: '2027-03-17', ownPromise: '2027-03-17' };
  const told = new Set<string>();
  const keysOn = (today: string) => {
    const keys = dueKeys(facts({ ...promised, told }), { now: noon(today), today, restDays: '' });
    for (const key of keys) told.add(key);
    return keys;
  };
  expect(keysOn('2027-03-08')).toEqual([]);
  expect(keysOn('2027-03-17')).toEqual([]);
  expect(keysOn('2027-03-18')).toEqual(['promise:2027-03-17', 'due:2027-03-15']);
  expect(keysOn('2027-03-19')).toEqual([]);
  expect(keysOn('2027-03-22')).toEqual(['due+1w:2027-03-15']);
});

test('the promise of another contact ends reminders, too, and is not theirs to break', () => {
  const other = facts({ promisedOn: '2027-03-17' });
  expect(dueKeys(other, { now: noon('2027-03-15'), today: '2027-03-15', restDays: '' })).toEqual([]);
  expect(dueKeys(other, { now: noon('2027-03-18'), today: '2027-03-18', restDays: '' })).toEqual([
    'due:2027-03-15',
  ]);
});

test('milestones up to the due day that fall on rest days are told on the day before them', () => {
  // 2027-03-15 is a Monday: the day before is a Sunday
  expect(remindedOn({}, { restDays: '67' }).slice(0, 4)).toEqual([
    '2027-03-08',
    '2027-03-12',
    '2027-03-15',
    '2027-03-22',
  ]);
  expect(remindedOn({ dueOn: '2027-03-14' }, { restDays: '67' }).slice(0, 3)).toEqual([
    '2027-03-05',
    '2027-03-12',
    '2027-03-22',
  ]);
});

test('another due date makes milestones of its own', () => {
  const told = new Set(['due-7:2027-03-15', 'due-1:2027-03-15', 'due:2027-03-15']);
  expect(
    dueKeys(facts({ dueOn: '2027-03-20', told }), {
      now: noon('2027-03-19'),
      today: '2027-03-19',
      restDays: '',
    }),
  ).toEqual(['due-1:2027-03-20']);
});
