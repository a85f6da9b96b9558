import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkTemplate } from '#features/tasks/questionnaires/checks.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { templateProblemText } from '#features/tasks/questionnaires/problem-texts.server.ts';
import { en, sectionOf, templateOf, type ItemInput } from './support.ts';
import '../../../src/app.server.ts';

const text = (key: string, more = {}): ItemInput =>
  ({ kind: 'text', key, label: en(key), ...more }) as ItemInput;
const yesNo = (key: string, more = {}): ItemInput =>
  ({ kind: 'yesNo', key, label: en(key), ...more }) as ItemInput;
const when = (of: string, value: unknown = true, op = 'is') => ({ when: { all: [{ op, of, value }] } });
const group = (key: string, items: ItemInput[], more = {}): ItemInput =>
  ({
    kind: 'group',
    key,
    label: en(key),
    one: en('one'),
    addLabel: en('add'),
    max: 3,
    items,
    ...more,
  }) as ItemInput;

const one = (...items: ItemInput[]) => templateOf([sectionOf('first', items)]);

function problemsIn(body: unknown): string[] {
  const checked = checkTemplate(body);
  return 'problems' in checked ? checked.problems.map(({ path, code }) => `${path}: ${code}`) : [];
}

test('a template that keeps the rules is published with its defaults', () => {
  const checked = checkTemplate(
    templateOf([
      sectionOf('first', [yesNo('any'), text('name', when('any'))]),
      sectionOf('second', [group('pet', [yesNo('cat'), text('color', when('cat'))])], when('first.any')),
    ]),
  );
  expect(checked).toMatchObject({
    template: { sections: [{ items: [{ required: false }, { max: 200 }] }, {}] },
  });
});

const choice = (key: string, keys: string[], more = {}): ItemInput =>
  ({
    kind: 'choice',
    key,
    label: en(key),
    choices: keys.map((each) => ({ key: each, label: en(each) })),
    ...more,
  }) as ItemInput;

test.each<[string, unknown, string]>([
  ['nothing', undefined, ': templateInvalid'],
  ['an unknown property', { ...one(text('a')), script: 'x' }, ': templateInvalid'],
  [
    'an unknown kind',
    one({ ...text('a'), kind: 'formula' } as never),
    'sections.0.items.0.kind: templateInvalid',
  ],
  ['a key with capitals', one(text('Name')), 'sections.0.items.0.key: templateInvalid'],
  [
    'a key like a property of every object',
    one(text('__proto__')),
    'sections.0.items.0.key: templateInvalid',
  ],
  [
    'a group inside a group',
    one(group('a', [group('b', [text('c')])])),
    'sections.0.items.0.items.0.kind: templateInvalid',
  ],
  ['two questions with one key', one(text('a'), text('a')), 'sections.0.items.1: templateDuplicateKey'],
  [
    'two questions of a group with one key',
    one(group('g', [text('a'), text('a')])),
    'sections.0.items.0.items.1: templateDuplicateKey',
  ],
  [
    'two sections with one key',
    templateOf([sectionOf('a', [text('x')]), sectionOf('a', [text('y')])]),
    'sections.1: templateDuplicateKey',
  ],
  [
    'two choices with one key',
    one(choice('c', ['x', 'x'])),
    'sections.0.items.0.choices.1: templateDuplicateKey',
  ],
  [
    'a language twice',
    { ...one(text('a')), languages: ['en-us', 'en-us'] },
    'languages.1: templateDuplicateKey',
  ],
  [
    'a condition on a later question',
    one(text('a', when('b')), yesNo('b')),
    'sections.0.items.0.when.all.0: templateReference',
  ],
  ['a condition on itself', one(yesNo('a', when('a'))), 'sections.0.items.0.when.all.0: templateReference'],
  [
    'a condition on a row of another group',
    one(group('g', [yesNo('a')]), text('b', when('first.g'))),
    'sections.0.items.1.when.all.0: templateReference',
  ],
  [
    'a condition on a later section',
    templateOf([sectionOf('a', [text('x')], when('b.y')), sectionOf('b', [yesNo('y')])]),
    'sections.0.when.all.0: templateReference',
  ],
  [
    'a condition on a note',
    one({ kind: 'note', key: 'n', label: en('n') }, text('a', when('n'))),
    'sections.0.items.1.when.all.0: templateReference',
  ],
  [
    'a condition on a sensitive answer',
    one(yesNo('a', { sensitive: true }), text('b', when('a'))),
    'sections.0.items.1.when.all.0: templateSensitive',
  ],
  [
    'a condition on an identifier',
    one(
      { kind: 'identifier', key: 'a', label: en('a'), scheme: 'ssn' },
      text('b', { when: { any: [{ op: 'answered', of: 'a' }] } }),
    ),
    'sections.0.items.1.when.any.0: templateSensitive',
  ],
  [
    'a value of another kind',
    one(yesNo('a'), text('b', when('a', 'yes'))),
    'sections.0.items.1.when.all.0: templateValue',
  ],
  [
    'a choice that is not offered',
    one(choice('a', ['x', 'y']), text('b', when('a', 'z'))),
    'sections.0.items.1.when.all.0: templateValue',
  ],
  [
    'an order of choices',
    one(choice('a', ['x', 'y']), text('b', when('a', 'x', 'atLeast'))),
    'sections.0.items.1.when.all.0: templateValue',
  ],
  [
    'a tax year that is text',
    one(text('b', when('taxYear', '2026'))),
    'sections.0.items.0.when.all.0: templateValue',
  ],
  [
    'a text without one of the languages',
    { ...one(text('a')), languages: ['en-us', 'es'] },
    'label: templateMissingText',
  ],
  [
    'a choice without one of the languages',
    { ...one(choice('a', ['x', 'y'])), languages: ['en-us', 'fr'] },
    'sections.0.items.0.choices.1.label: templateMissingText',
  ],
  [
    'a row title that is not a question',
    one(group('g', [text('a')], { title: 'b' })),
    'sections.0.items.0.title: templateTitle',
  ],
  [
    'a row title that is sensitive',
    one(group('g', [text('a', { sensitive: true })], { title: 'a' })),
    'sections.0.items.0.title: templateTitle',
  ],
  [
    'more rows required than allowed',
    one(group('g', [text('a')], { min: 4 })),
    'sections.0.items.0.min: templateLimits',
  ],
  [
    'a number below its own minimum',
    one({ kind: 'number', key: 'n', label: en('n'), min: 3, max: 2 }),
    'sections.0.items.0.max: templateLimits',
  ],
  [
    'a day that does not exist',
    one({ kind: 'date', key: 'd', label: en('d'), earliest: '2026-02-30' }),
    'sections.0.items.0.earliest: templateLimits',
  ],
  [
    'dates in the wrong order',
    one({ kind: 'date', key: 'd', label: en('d'), earliest: '2026-03-01', latest: '2026-02-01' }),
    'sections.0.items.0.earliest: templateLimits',
  ],
  [
    'a currency that does not exist',
    one({ kind: 'money', key: 'm', label: en('m'), currency: 'QQQ' }),
    'sections.0.items.0.currency: templateCurrency',
  ],
  ['a country that does not exist', { ...one(text('a')), country: 'QQ' }, 'country: templateCountry'],
  [
    'an address in a country that does not exist',
    one({ kind: 'address', key: 'a', label: en('a'), countries: ['QQ'] }),
    'sections.0.items.0.countries.0: templateCountry',
  ],
])('a template with %s is refused', (_, body, problem) => {
  expect(problemsIn(body)).toContain(problem);
});

test('a template of more than 256 KiB or more than 1,500 questions is refused', () => {
  const long = templateOf([sectionOf('first', [text('a', { label: en('x'.repeat(2000)) })])]);
  expect(problemsIn({ ...long, padding: 'x'.repeat(256 * 1024) })).toEqual([': templateTooLarge']);
  const sections = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      sectionOf(`s${at}`, [
        group(
          'g',
          Array.from({ length: 30 }, (__, index) => text(`q${index}`)),
        ),
      ]),
    );
  expect(problemsIn(templateOf(sections(50)))).toEqual([]);
  expect(problemsIn(templateOf([...sections(50), sectionOf('more', [text('a')])]))).toEqual([
    ': templateTooManyQuestions',
  ]);
});

test('a body that is nested without end or refers to itself is refused', () => {
  let deep: unknown = 1;
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  for (const body of [deep, circle, { sections: deep }]) expect(problemsIn(body).length).toBeGreaterThan(0);
});

test('no body makes the check throw', () => {
  fc.assert(
    fc.property(fc.anything({ maxDepth: 4, withNullPrototype: true }), (body) => {
      expect(problemsIn(body).length).toBeGreaterThan(0);
    }),
  );
});

test('every problem of a template has a message in every language', () => {
  const checked = checkTemplate({ ...one(text('a')), languages: ['en-us', 'es'] });
  const [missing] = 'problems' in checked ? checked.problems : [];
  expect(missing && templateProblemText(missing, 'en-us')).toBe('The Spanish (Argentina) text is missing.');
  for (const lang of LANGS)
    expect(missing && templateProblemText(missing, lang)).not.toMatch(/template|\{\{/);
});
