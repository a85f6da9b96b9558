import { expect, test } from 'vitest';
import { findingsOf } from '#features/tasks/questionnaires/answer-rules.server.ts';
import { checkTemplate } from '#features/tasks/questionnaires/checks.server.ts';
import type { Answers, TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
import '../../../src/app.server.ts';
import { en, OTHER_ROW, published, ROW, sectionOf, templateOf } from './support.ts';

/* Rules across answers: the vacation of an employee in Brazil is the first one. */

const checks: TemplateInput['checks'] = [
  {
    rule: 'br-vacation',
    of: {
      periodStart: 'vacation.since',
      absences: 'vacation.missed',
      soldDays: 'vacation.sold',
      'parts.start': 'vacation.part.from',
      'parts.days': 'vacation.part.length',
    },
  },
];
const input = (more: Partial<TemplateInput> = {}): TemplateInput =>
  templateOf(
    [
      sectionOf('vacation', [
        { kind: 'date', key: 'since', label: en('Since') },
        { kind: 'number', key: 'missed', label: en('Absences') },
        { kind: 'number', key: 'sold', label: en('Sold days') },
        {
          kind: 'group',
          key: 'part',
          label: en('Parts'),
          one: en('Part'),
          addLabel: en('Add a part'),
          max: 3,
          items: [
            { kind: 'date', key: 'from', label: en('From') },
            { kind: 'number', key: 'length', label: en('Days') },
          ],
        },
      ]),
    ],
    { country: 'BR', checks, ...more },
  );

const answers = (starts: [string, number][], more: Answers = {}): Answers => ({
  'vacation.since': '2025-09-01',
  'vacation.missed': 0,
  'vacation.part#order': [ROW, OTHER_ROW].slice(0, starts.length),
  ...Object.fromEntries<string | number>(
    starts.flatMap(([from, length], at): [string, string | number][] => [
      [`vacation.part.${[ROW, OTHER_ROW][at]}.from`, from],
      [`vacation.part.${[ROW, OTHER_ROW][at]}.length`, length],
    ]),
  ),
  ...more,
});

const found = (given: Answers, lang: 'en-us' | 'pt' = 'en-us') =>
  findingsOf(published(input()), given, { lang, today: '2026-09-15' });
const blocking = (given: Answers) => found(given).filter(({ severity }) => severity === 'blocks');

test('a vacation that the law allows is blocked by nothing, and the rules say what they know', () => {
  const good = found(
    answers([
      ['2026-12-07', 14],
      ['2027-02-01', 16],
    ]),
  );
  expect(good.filter(({ severity }) => severity === 'blocks')).toEqual([]);
  expect(good.map(({ id }) => id)).toContain('V8');
  expect(
    good.every(({ text, law, rule }) => text !== '' && law !== undefined && rule === 'br-vacation'),
  ).toBe(true);
});

test('what the law forbids blocks, at the answer that it is about, with its article', () => {
  expect(
    blocking(
      answers([
        ['2026-12-07', 14],
        ['2026-12-24', 16],
      ]),
    ),
  ).toMatchObject(
    [
      { id: 'V5', path: `vacation.part.${OTHER_ROW}.from`, law: 'CLT, art. 134, § 3º' },
      { id: 'V14', path: `vacation.part.${OTHER_ROW}.from` },
    ].slice(0, 1),
  );
  expect(
    blocking(answers([['2026-12-07', 30]], { 'vacation.sold': 11 })).map(({ id, path }) => [id, path]),
  ).toEqual(
    expect.arrayContaining([
      ['V10', 'vacation.sold'],
      ['V1', 'vacation.part'],
    ]),
  );
});

test('the gravest findings come first, in the language of the reader', () => {
  const severities = found(answers([['2026-12-24', 30]])).map(({ severity }) => severity);
  const order = ['blocks', 'confirms', 'warns', 'informs'];
  expect(severities).toEqual(severities.toSorted((one, other) => order.indexOf(one) - order.indexOf(other)));
  const [first] = found(answers([['2026-12-24', 30]]), 'pt');
  expect(first?.text).toContain('férias');
});

test('what is not answered, or answered wrong, is no finding', () => {
  expect(found({})).toEqual([]);
  expect(found(answers([]))).toEqual([]);
  expect(found(answers([['2026-12-24', 30]], { 'vacation.missed': 'many' }))).toEqual([]);
  const begun = answers([['2026-12-24', 30]]);
  const { [`vacation.part.${ROW}.length`]: _left, ...unfinished } = begun;
  expect(found(unfinished)).toEqual([]);
});

test('a template with a rule that nobody has, or that is bound to what does not fit, is not published', () => {
  const problems = (of: Record<string, string>, rule = 'br-vacation') => {
    const checked = checkTemplate(input({ checks: [{ rule, of }] }));
    return 'problems' in checked ? checked.problems : [];
  };
  const good = checks?.[0]?.of ?? {};
  expect(problems(good)).toEqual([]);
  expect(problems(good, 'no-rule')).toEqual([{ path: 'checks.0.rule', code: 'templateRule' }]);
  const wrong = (change: Record<string, string>) => problems({ ...good, ...change });
  const input0 = (name: string) => [{ path: `checks.0.of.${name}`, code: 'templateRuleInput' }];
  expect(wrong({ periodStart: 'vacation.missed' })).toEqual(input0('periodStart'));
  expect(wrong({ periodStart: 'vacation.part.from' })).toEqual(input0('periodStart'));
  expect(wrong({ 'parts.start': 'vacation.since' })).toEqual(input0('parts.start'));
  expect(wrong({ absences: 'vacation.nothing' })).toEqual(input0('absences'));
  expect(wrong({ unknown: 'vacation.missed' })).toEqual(input0('unknown'));
  const { absences: _required, ...without } = good;
  expect(problems(without)).toEqual(input0('absences'));
  const { soldDays: _optional, ...others } = good;
  expect(problems(others)).toEqual([]);
});
