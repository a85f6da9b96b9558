import { expect, test } from 'vitest';
import type { Answers } from '#features/tasks/questionnaires/questionnaires.ts';
import {
  forTaxYear,
  freeze,
  isGroup,
  problemsOf,
  progressOf,
  questionAt,
  rowsOf,
  sectionProblems,
  textIn,
  visibleSections,
} from '#features/tasks/questionnaires/rules.ts';
import { en, OTHER_ROW, published, ROW, sectionOf, templateOf, type ItemInput } from './support.ts';
import '../../../src/app.server.ts';

type Item = Partial<ItemInput> & { key: string };

const item = (kind: string, key: string, more: object = {}): ItemInput =>
  ({ kind, key, label: en(key), ...more }) as ItemInput & Item;
const all = (...tests: object[]) => ({ when: { all: tests } });
const any = (...tests: object[]) => ({ when: { any: tests } });
const test_ = (of: string, op: string, value?: unknown) => ({
  of,
  op,
  ...(value !== undefined && { value }),
});
const choices = ['wages', 'rental', 'none'].map((key) => ({
  key,
  label: en(key),
  exclusive: key === 'none',
}));

/** The paths of the questions that are shown. */
const shown = (template: Parameters<typeof visibleSections>[0], answers: Answers): string[] =>
  visibleSections(template, answers).flatMap(({ items }) =>
    items.flatMap((each) =>
      isGroup(each) ? each.rows.flatMap(({ questions }) => questions.map(({ path }) => path)) : [each.path],
    ),
  );

const shownOf = (items: ItemInput[], answers: Answers): string[] =>
  shown(published(templateOf([sectionOf('s', items)])), answers);

const { none, unsure } = { none: { none: true as const }, unsure: { unsure: true as const } };

test.each<[string, ItemInput, object, Answers, boolean]>([
  ['is', item('yesNo', 'a'), test_('a', 'is', true), { 's.a': true }, true],
  ['is, with another answer', item('yesNo', 'a'), test_('a', 'is', true), { 's.a': false }, false],
  ['is, without an answer', item('yesNo', 'a'), test_('a', 'is', false), {}, false],
  ['isNot', item('yesNo', 'a'), test_('a', 'isNot', true), { 's.a': false }, true],
  ['isNot, without an answer', item('yesNo', 'a'), test_('a', 'isNot', true), {}, false],
  [
    'isNot, when unsure',
    item('yesNo', 'a', { unsure: true }),
    test_('a', 'isNot', true),
    { 's.a': unsure },
    true,
  ],
  [
    'is, with the same as last year',
    item('yesNo', 'a'),
    test_('a', 'is', true),
    { 's.a': { same: true, of: true } },
    true,
  ],
  [
    'includes',
    item('choices', 'a', { choices }),
    test_('a', 'includes', 'rental'),
    { 's.a': ['wages', 'rental'] },
    true,
  ],
  [
    'includes, what was not chosen',
    item('choices', 'a', { choices }),
    test_('a', 'includes', 'rental'),
    { 's.a': ['wages'] },
    false,
  ],
  ['atLeast', item('number', 'a'), test_('a', 'atLeast', 3), { 's.a': 3 }, true],
  ['atLeast, of less', item('number', 'a'), test_('a', 'atLeast', 3), { 's.a': 2 }, false],
  ['atMost', item('number', 'a'), test_('a', 'atMost', 3), { 's.a': 3 }, true],
  [
    'atLeast, of an amount',
    item('money', 'a', { currency: 'USD' }),
    test_('a', 'atLeast', 600),
    { 's.a': { minor: 60_000, currency: 'USD' } },
    true,
  ],
  [
    'atLeast, of a smaller amount',
    item('money', 'a', { currency: 'USD' }),
    test_('a', 'atLeast', 600),
    { 's.a': { minor: 59_999, currency: 'USD' } },
    false,
  ],
  [
    'atLeast, of a date',
    item('date', 'a'),
    test_('a', 'atLeast', '2025-01-01'),
    { 's.a': '2025-01-01' },
    true,
  ],
  [
    'atMost, of a later date',
    item('date', 'a'),
    test_('a', 'atMost', '2025-01-01'),
    { 's.a': '2025-01-02' },
    false,
  ],
  ['answered', item('text', 'a'), test_('a', 'answered'), { 's.a': 'x' }, true],
  ['answered, with only spaces', item('text', 'a'), test_('a', 'answered'), { 's.a': '  ' }, false],
  ['answered, with none', item('text', 'a', { none: true }), test_('a', 'answered'), { 's.a': none }, true],
  [
    'answered, with what is not valid',
    item('number', 'a'),
    test_('a', 'answered'),
    { 's.a': 'twelve' },
    false,
  ],
  ['notAnswered', item('text', 'a'), test_('a', 'notAnswered'), {}, true],
  ['notAnswered, with an answer', item('text', 'a'), test_('a', 'notAnswered'), { 's.a': 'x' }, false],
  ['a tax year', item('text', 'a'), test_('taxYear', 'atLeast', 2026), {}, true],
  ['a later tax year', item('text', 'a'), test_('taxYear', 'atLeast', 2027), {}, false],
])('a question is shown or not by the condition %s', (_, asked, condition, answers, isShown) => {
  for (const when of [all(condition), any(condition)])
    expect(shownOf([asked, item('text', 'b', when)], answers).includes('s.b')).toBe(isShown);
});

test('all of several tests hold, or any of them', () => {
  const tests = [test_('a', 'is', true), test_('b', 'is', true)];
  const both = (when: object, answers: Answers): boolean =>
    shownOf([item('yesNo', 'a'), item('yesNo', 'b'), item('text', 'c', when)], answers).includes('s.c');
  expect(both(all(...tests), { 's.a': true })).toBe(false);
  expect(both(all(...tests), { 's.a': true, 's.b': true })).toBe(true);
  expect(both(any(...tests), { 's.b': true })).toBe(true);
  expect(both(any(...tests), {})).toBe(false);
});

const chain = published(
  templateOf([
    sectionOf('start', [item('yesNo', 'a'), item('yesNo', 'b', all(test_('a', 'is', true)))]),
    sectionOf(
      'more',
      [item('text', 'c', { required: true }), item('yesNo', 'd')],
      all(test_('start.b', 'is', true)),
    ),
    sectionOf('last', [
      item('text', 'e', all(test_('more.d', 'isNot', true))),
      item('text', 'f', all(test_('more.d', 'notAnswered'))),
    ]),
  ]),
);

test('a hidden question hides what depends on it, along the whole chain, and its answer stays', () => {
  const answers: Answers = {
    'start.a': false,
    'start.b': true,
    'more.c': 'kept',
    'more.d': false,
    'last.e': 'x',
  };
  expect(shown(chain, answers)).toEqual(['start.a', 'last.f']);
  expect(freeze(chain, answers).map(({ path }) => path)).toEqual(['start.a']);
  expect(shown(chain, { ...answers, 'start.a': true })).toEqual([
    'start.a',
    'start.b',
    'more.c',
    'more.d',
    'last.e',
  ]);
  expect(freeze(chain, { ...answers, 'start.a': true }).map(({ value }) => value)).toEqual([
    true,
    true,
    'kept',
    false,
    'x',
  ]);
});

test('the problems of one section are those of the questionnaire in it', () => {
  const answers: Answers = { 'start.a': true, 'start.b': true };
  const problems = visibleSections(chain, answers).map((section) => sectionProblems(section, 'submit'));
  expect(problems).toEqual([[], [{ path: 'more.c', code: 'required' }], []]);
});

test('a required question that is hidden is not missing', () => {
  expect(problemsOf(chain, { 'start.a': false }, 'submit')).toEqual([]);
  expect(problemsOf(chain, { 'start.a': true, 'start.b': true }, 'submit')).toEqual([
    { path: 'more.c', code: 'required' },
  ]);
});

const family = published(
  templateOf([
    sectionOf('home', [
      item('yesNo', 'student'),
      item('group', 'child', {
        one: en('Child'),
        addLabel: en('Add a child'),
        min: 1,
        max: 2,
        title: 'name',
        items: [
          item('text', 'name', { required: true }),
          item('yesNo', 'works'),
          item('yesNo', 'student', all(test_('works', 'is', true))),
          item('text', 'school', all(test_('student', 'is', true))),
        ],
      }),
    ]),
  ]),
);
const path = (key: string, row = ROW): string => `home.child.${row}.${key}`;

test('a condition in a row refers to its own row, and never to a question of the section with the same key', () => {
  const answers: Answers = {
    'home.student': true,
    'home.child#order': [OTHER_ROW, ROW],
    [path('works')]: true,
    [path('student')]: true,
    [path('student', OTHER_ROW)]: true,
  };
  expect(shown(family, answers)).toEqual([
    'home.student',
    path('name', OTHER_ROW),
    path('works', OTHER_ROW),
    path('name'),
    path('works'),
    path('student'),
    path('school'),
  ]);
});

test('rows are read in their order, once each, and only by ids that an editor makes', () => {
  const order = [ROW, ROW, 'short', '__proto__', 12, null, OTHER_ROW, 'x'.repeat(13)] as never;
  expect(rowsOf({ 'home.child#order': order }, 'home.child')).toEqual([ROW, OTHER_ROW]);
  for (const wrong of [undefined, 'abcdefghijk1', 3, { length: 1 }])
    expect(rowsOf({ 'home.child#order': wrong as never }, 'home.child')).toEqual([]);
  const many = Array.from({ length: 100_000 }, (_, at) => String(at).padStart(12, 'r'));
  expect(rowsOf({ 'home.child#order': many }, 'home.child')).toHaveLength(200);
});

test('too few rows are a problem of the submission, too many at once', () => {
  expect(problemsOf(family, {}, 'typing')).toEqual([]);
  expect(problemsOf(family, {}, 'submit')).toEqual([
    { path: 'home.child', code: 'rowsTooFew', vars: { min: 1 } },
  ]);
  const answers = { 'home.child#order': [ROW, OTHER_ROW, 'abcdefghijk3'] };
  expect(problemsOf(family, answers, 'typing')).toEqual([
    { path: 'home.child', code: 'rowsTooMany', vars: { max: 2 } },
  ]);
});

test('answers of removed rows are not submitted', () => {
  const answers = { 'home.child#order': [ROW], [path('name')]: 'Ana', [path('name', OTHER_ROW)]: 'Removed' };
  expect(freeze(family, answers)).toEqual([
    { path: path('name'), labelPath: 'home.child.name', kind: 'text', value: 'Ana' },
  ]);
});

const kinds = published(
  templateOf([
    sectionOf('s', [
      item('text', 'name', { required: true, tag: '1040.name', none: true }),
      item('identifier', 'ssn', { required: true, scheme: 'ssn' }),
      item('files', 'w2', { required: true }),
      item('choice', 'status', { required: true, choices }),
      item('address', 'home'),
      item('yesNo', 'true', { required: true, mustBeYes: true }),
      item('note', 'n'),
    ]),
  ]),
);

test('while typing only what is wrong is a problem; a submission also needs what is missing', () => {
  const answers: Answers = {
    's.ssn': '12345',
    's.home': {
      country: 'US',
      address1: '1 Main St',
      address2: '',
      city: '',
      state: '',
      zip: '',
      county: '',
    },
  };
  const typing = [
    { path: 's.ssn', code: 'identifierWrong', vars: { scheme: 'ssn' } },
    { path: 's.home.city', code: 'cityMissing' },
  ];
  expect(problemsOf(kinds, answers, 'typing')).toEqual(typing);
  expect(problemsOf(kinds, answers, 'submit').map(({ path: at, code }) => [at, code])).toEqual([
    ['s.name', 'required'],
    ['s.ssn', 'identifierWrong'],
    ['s.w2', 'requiredFiles'],
    ['s.status', 'requiredChoice'],
    ['s.home.city', 'cityMissing'],
    ['s.true', 'requiredChoice'],
  ]);
  expect(problemsOf(kinds, { 's.true': false }, 'submit')).toContainEqual({
    path: 's.true',
    code: 'mustBeYes',
  });
});

const complete: Answers = {
  's.name': none,
  's.ssn': '666123456',
  's.w2': { notYet: true, by: '2027-02-20' },
  's.status': { same: true, of: 'wages' },
  's.true': true,
};

test('what stands for an answer satisfies a required question, and a warning does not prevent the submission', () => {
  expect(problemsOf(kinds, complete, 'submit')).toEqual([
    { path: 's.ssn', code: 'identifierUnusual', isWarning: true },
  ]);
  expect(freeze(kinds, complete)).toEqual([
    { path: 's.name', labelPath: 's.name', kind: 'text', tag: '1040.name', value: none },
    { path: 's.ssn', labelPath: 's.ssn', kind: 'identifier', value: '666123456' },
    { path: 's.w2', labelPath: 's.w2', kind: 'files', value: { notYet: true, by: '2027-02-20' } },
    { path: 's.status', labelPath: 's.status', kind: 'choice', value: 'wages', source: 'last-year' },
    { path: 's.true', labelPath: 's.true', kind: 'yesNo', value: true },
  ]);
});

test('a section is settled when nothing is missing, wrong or still to be checked', () => {
  const progress = (answers: Answers, unchecked?: ReadonlySet<string>) =>
    progressOf(kinds, answers, unchecked)[0];
  expect(progress({})).toEqual({ key: 's', total: 6, settled: 0, isSettled: false, isOptional: false });
  expect(progress(complete)).toEqual({ key: 's', total: 6, settled: 5, isSettled: true, isOptional: false });
  expect(progress({ ...complete, 's.ssn': '1' })).toMatchObject({ settled: 4, isSettled: false });
  expect(progress(complete, new Set(['s.status']))).toMatchObject({ isSettled: false });
  expect(progress(complete, new Set(['other.status']))).toMatchObject({ isSettled: true });
});

test('a section that asks for nothing in particular is optional until something is answered', () => {
  const [section] = kinds.sections;
  const optional = {
    ...kinds,
    sections: [{ ...section!, items: [{ ...section!.items[0]!, required: false }] }],
  };
  const first = (answers: Answers) => progressOf(optional as typeof kinds, answers)[0];
  expect(first({})).toMatchObject({ isSettled: true, isOptional: true });
  expect(first({ 's.name': 'Ada' })).toMatchObject({ isSettled: true, isOptional: false });
});

test('a path names a question of the template, or nothing', () => {
  expect(questionAt(kinds, 's.name')).toMatchObject({ key: 'name' });
  expect(questionAt(family, path('school'))).toMatchObject({ key: 'school' });
  for (const wrong of [
    '',
    's',
    's.none',
    's.n',
    's.name.x',
    'home.child',
    'home.child.short.name',
    path('none'),
    `${path('name')}.x`,
    '__proto__.name',
    'home.child#order',
  ])
    expect([wrong, questionAt(wrong.startsWith('s') ? kinds : family, wrong)]).toEqual([wrong, undefined]);
});

test('texts name the tax year of the task as its country writes it', () => {
  const text = en('Income of {taxYear}');
  expect(textIn(text, 'en-us', kinds)).toBe('Income of 2026');
  expect(textIn(text, 'pt', forTaxYear(kinds, 2024))).toBe('Income of 2024');
  expect(textIn(text, 'en-us', { ...forTaxYear(kinds, 2026), country: 'GB' })).toBe('Income of 2025/26');
  expect(textIn({ 'en-us': 'Income', pt: 'Renda' }, 'pt', kinds)).toBe('Renda');
});
