import { expect, test } from 'vitest';
import { displayValue } from '#features/tasks/questionnaires/display.server.ts';
import { fieldViews } from '#features/tasks/questionnaires/fields.server.ts';
import { newRowId, postedAnswers } from '#features/tasks/questionnaires/posted-answers.server.ts';
import { problemText } from '#features/tasks/questionnaires/problem-texts.server.ts';
import type { Answers, AnswerValue } from '#features/tasks/questionnaires/questionnaires.ts';
import { isRowId, questionAt, type Problem } from '#features/tasks/questionnaires/rules.ts';
import type { FieldView } from '#platform/forms/forms.ts';
import { LANGS, type Lang } from '#platform/text/languages.ts';
import { en, OTHER_ROW, published, ROW, sectionOf, templateOf, type ItemInput } from './support.ts';
import '../../../src/app.server.ts';

const item = (kind: string, key: string, more: object = {}): ItemInput =>
  ({ kind, key, label: en(key), ...more }) as ItemInput;
const choices = ['a', 'b', 'none'].map((key) => ({
  key,
  label: en(`Choice ${key}`),
  exclusive: key === 'none',
}));

const template = published(
  templateOf(
    [
      sectionOf('all', [
        item('note', 'intro'),
        item('text', 'name', {
          required: true,
          hint: en('As on your card'),
          why: en('for the return'),
          none: true,
        }),
        item('paragraph', 'story'),
        item('yesNo', 'sure', { unsure: true }),
        item('choice', 'one', { choices, look: 'cards' }),
        item('choice', 'listed', { choices, look: 'select' }),
        item('choices', 'many', { choices }),
        item('number', 'count', { unit: en('weeks') }),
        item('money', 'amount', { currency: 'USD' }),
        item('money', 'gain', { currency: 'USD', signed: true }),
        item('date', 'born'),
        item('date', 'since', { part: 'month' }),
        item('date', 'year', { part: 'year' }),
        item('identifier', 'ssn', { scheme: 'ssn' }),
        item('text', 'pin', { sensitive: true }),
        item('phone', 'phone'),
        item('address', 'home', { countries: ['US', 'CA'] }),
        item('files', 'papers', { none: true }),
        item('text', 'detail', { when: { all: [{ op: 'is', of: 'sure', value: true }] } }),
      ]),
      sectionOf('kids', [
        item('group', 'child', {
          one: en('Child'),
          addLabel: en('Add a child'),
          min: 1,
          max: 2,
          items: [item('text', 'name'), item('identifier', 'ssn', { scheme: 'ssn' })],
        }),
      ]),
    ],
    { languages: ['en-us'] },
  ),
);

const address = {
  country: 'US',
  address1: '1 Main St',
  address2: '',
  city: 'Fresno',
  state: 'US-CA',
  zip: '',
  county: '',
};
const answers: Answers = {
  'all.name': 'Ada',
  'all.story': 'One\ntwo',
  'all.sure': true,
  'all.one': 'b',
  'all.listed': 'a',
  'all.many': ['a', 'b'],
  'all.count': 12,
  'all.amount': { minor: 124_050, currency: 'USD' },
  'all.gain': { minor: -500, currency: 'USD' },
  'all.born': '1980-05-03',
  'all.since': '2024-11',
  'all.year': '2019',
  'all.ssn': '123456789',
  'all.pin': '982134',
  'all.phone': { typed: '(212) 555-0123', e164: '+12125550123' },
  'all.home': address,
  'all.papers': ['f1', 'f2'],
  'all.detail': 'More',
  'kids.child#order': [ROW, OTHER_ROW],
  [`kids.child.${ROW}.name`]: 'Kim',
  [`kids.child.${ROW}.ssn`]: '123456780',
};

const viewsOf = (section: string, of: Answers, lang: Lang = 'en-us', more = {}): FieldView[] =>
  fieldViews(template, section, { answers: of, lang, newRowId, ...more });
const viewOf = (path: string, of: Answers, more = {}): FieldView | undefined =>
  viewsOf('all', of, 'en-us', more).findLast(({ name }) => name === path);

/** What a browser posts for the fields, with other values for some. */
function posted(views: readonly FieldView[], other: Record<string, string | string[]> = {}): FormData {
  const form = new FormData();
  const append = (name: string, value: string): void => {
    if (!(name in other)) form.append(name, value);
  };
  for (const view of views) {
    if (view.kind === 'group')
      for (const row of view.rows) for (const [name, value] of posted(row)) append(name, String(value));
    else if (view.kind === 'address') for (const part of view.parts) append(part.name, String(part.value));
    else if (view.kind === 'date-selects')
      for (const { part, value } of view.selects) append(`${view.name}.${part}`, value);
    else if (view.kind === 'checkboxes') for (const value of view.value) append(view.name, value);
    else if (view.kind === 'choices' && view.value !== '') append(view.name, view.value);
    else if (view.kind === 'checkbox' && view.value) append(view.name, 'on');
    else if (['text', 'textarea', 'select', 'hidden'].includes(view.kind))
      append(view.name, String(view.value));
  }
  for (const [name, value] of Object.entries(other))
    for (const each of [value].flat()) form.append(name, each);
  return form;
}

const post = (
  section: string,
  of: Answers,
  other: Record<string, string | string[]> = {},
  lang: Lang = 'en-us',
): ReturnType<typeof postedAnswers> =>
  postedAnswers(template, { section, form: posted(viewsOf(section, of, lang), other), answers: of, lang });

const changed = (value: AnswerValue | null, path: string) => ({ changes: [{ path, value }], problems: [] });

test.each(LANGS)('a section that is posted as it was shown changes nothing (%s)', (lang) => {
  for (const section of ['all', 'kids'])
    expect(post(section, answers, {}, lang)).toEqual({ changes: [], problems: [] });
  expect(post('all', {}, {}, lang)).toEqual({ changes: [], problems: [] });
});

test('every kind of question has its field', () => {
  expect(viewOf('all.intro', answers)).toMatchObject({ kind: 'note', label: 'intro' });
  expect(viewOf('all.name', {})).toMatchObject({
    kind: 'text',
    maxlength: 200,
    hint: 'As on your card Why we ask: for the return',
  });
  expect(viewOf('all.story', {})).toMatchObject({ kind: 'textarea', optional: 'optional' });
  expect(viewOf('all.sure', answers)).toMatchObject({
    kind: 'choices',
    value: 'yes',
    choices: [{}, {}, { value: 'unsure' }],
  });
  expect(viewOf('all.one', answers)).toMatchObject({ kind: 'choices', look: 'cards', value: 'b' });
  expect(viewOf('all.listed', answers)).toMatchObject({ kind: 'select', value: 'a' });
  expect(viewOf('all.many', answers)).toMatchObject({ kind: 'checkboxes', value: ['a', 'b'] });
  expect(viewOf('all.count', answers)).toMatchObject({
    kind: 'text',
    inputmode: 'numeric',
    value: '12',
    hint: 'weeks',
  });
  expect(viewOf('all.amount', answers)).toMatchObject({
    kind: 'text',
    unit: '$',
    mask: 'decimal',
    value: '1240.50',
  });
  expect(viewOf('all.gain', answers)).toMatchObject({ value: '-5.00' });
  expect(viewOf('all.gain', answers)).not.toHaveProperty('mask');
  expect(viewOf('all.born', answers)).toMatchObject({ kind: 'date-selects', value: '1980-05-03' });
  expect(viewOf('all.since', answers)).toMatchObject({
    kind: 'date-selects',
    selects: [
      { part: 'month', value: '11' },
      { part: 'year', value: '2024' },
    ],
  });
  expect(viewOf('all.year', answers)).toMatchObject({ kind: 'text', value: '2019', maxlength: 4 });
  expect(viewOf('all.ssn', {})).toMatchObject({ kind: 'text', mask: 'ssn', value: '' });
  expect(viewOf('all.phone', answers)).toMatchObject({ type: 'tel', value: '(212) 555-0123' });
  expect(viewOf('all.home', answers)).toMatchObject({
    kind: 'address',
    parts: [{ value: 'US', choices: [{}, { value: 'CA' }, { value: 'US' }] }, {}, {}, {}, {}, {}, {}],
  });
  expect(viewOf('all.papers', answers)).toMatchObject({ kind: 'slot' });
  expect(viewOf('all.papers#none', answers)).toMatchObject({ kind: 'checkbox', value: false });
  expect(viewOf('all.detail', {})).toBeUndefined();
});

test.each<[string, string, string | string[], AnswerValue | null]>([
  ['text', 'all.name', ' Bob ', 'Bob'],
  ['an emptied text', 'all.name', '', null],
  ['a paragraph', 'all.story', 'One\r\nthree', 'One\nthree'],
  ['another choice', 'all.one', 'a', 'a'],
  ['no', 'all.sure', 'no', false],
  ['unsure', 'all.sure', 'unsure', { unsure: true }],
  ['fewer choices', 'all.many', ['', 'b'], ['b']],
  ['no choices', 'all.many', [''], null],
  ['a number', 'all.count', '1,000', 1000],
  ['an amount', 'all.amount', '1,300', { minor: 130_000, currency: 'USD' }],
  ['a loss', 'all.gain', '(12.50)', { minor: -1250, currency: 'USD' }],
  ['a day', 'all.born.day', '04', '1980-05-04'],
  ['a month', 'all.since.month', '12', '2024-12'],
  ['a year', 'all.year', '2020', '2020'],
  ['an identifier', 'all.ssn', '123-45-6780', '123456780'],
  ['a phone number', 'all.phone', '+44 20 7946 0958', { typed: '+44 20 7946 0958', e164: '+442079460958' }],
  ['a part of an address', 'all.home.city', 'Reno', { ...address, city: 'Reno' }],
])('%s is read from the form', (_, name, typed, value) => {
  const path = name.split('.').slice(0, 2).join('.');
  expect(post('all', answers, { [name]: typed })).toEqual(changed(value, path));
});

test.each<[string, string, string, AnswerValue, string]>([
  ['a number', 'all.count', 'twelve', 'twelve', 'numberWrong'],
  ['an amount', 'all.amount', '12.345', '12.345', 'amountWrong'],
  ['a date', 'all.born.day', '', '1980-05-', 'dateWrong'],
  ['an identifier', 'all.ssn', '123', '123', 'identifierWrong'],
  ['a phone number', 'all.phone', '555', '555', 'phoneWrong'],
  ['a year', 'all.year', '19', '19', 'yearWrong'],
])(
  '%s that cannot be read is stored as it was typed, and shown again beside its problem',
  (_, name, typed, value, code) => {
    const path = name.split('.').slice(0, 2).join('.');
    const { changes, problems } = post('all', answers, { [name]: typed });
    expect(changes).toEqual([{ path, value }]);
    expect(problems).toMatchObject([{ path, code }]);
    const after = { ...answers, [path]: value };
    const view = viewOf(path, after, { problems });
    expect(view?.problem).toBe(problemText(problems[0] as Problem, 'en-us'));
    const again = posted(viewsOf('all', after));
    expect(again.get(name)).toBe(typed);
  },
);

test('choices that exclude each other stay ticked beside their problem', () => {
  const { changes, problems } = post('all', answers, { 'all.many': ['', 'a', 'none'] });
  expect(changes).toEqual([{ path: 'all.many', value: ['a', 'none'] }]);
  expect(viewOf('all.many', { ...answers, 'all.many': ['a', 'none'] }, { problems })).toMatchObject({
    value: ['a', 'none'],
    problem: 'Choose either this answer or the others, not both.',
  });
});

test('a problem of an address is shown at its part', () => {
  const { problems } = post('all', answers, { 'all.home.city': '' });
  expect(problems).toEqual([{ path: 'all.home.city', code: 'cityMissing' }]);
  expect(viewOf('all.home', answers, { problems })).toMatchObject({
    parts: expect.arrayContaining([
      expect.objectContaining({ name: 'all.home.city', problem: 'Enter a city.' }),
    ]) as unknown,
  });
});

test('a choice that is not offered is refused and changes nothing', () => {
  for (const [name, value] of [
    ['all.one', 'z'],
    ['all.listed', '__proto__'],
    ['all.sure', 'perhaps'],
  ] as const)
    expect(post('all', answers, { [name]: value })).toEqual({
      changes: [],
      problems: [{ path: name, code: 'notAllowed' }],
    });
  expect(post('all', answers, { 'all.many': ['', 'a', 'b', 'z'] })).toEqual({ changes: [], problems: [] });
});

test('a sensitive answer is shown masked, and its mask never replaces it', () => {
  expect(viewOf('all.ssn', answers)).toMatchObject({ value: '•••-••-6789' });
  expect(viewOf('all.pin', answers)).toMatchObject({ value: '••••••' });
  expect(JSON.stringify(viewsOf('all', answers))).not.toMatch(/123-?45|982134/);
  expect(post('all', answers, { 'all.ssn': '***-**-6789' })).toEqual({ changes: [], problems: [] });
  for (const typed of ['***-**-1111', '•••-••-678', '1••-••-6789'])
    expect(post('all', answers, { 'all.ssn': typed })).toEqual({
      changes: [],
      problems: [{ path: 'all.ssn', code: 'maskedChanged' }],
    });
  expect(post('all', {}, { 'all.ssn': '***-**-6789' }).problems).toEqual([
    { path: 'all.ssn', code: 'maskedChanged' },
  ]);
});

test('what the form does not contain is left as it is', () => {
  const empty = postedAnswers(template, { section: 'all', form: new FormData(), answers, lang: 'en-us' });
  expect(empty).toEqual({ changes: [], problems: [] });
  const unknown = new FormData();
  unknown.append('all.other', 'x');
  unknown.append('kids.child#order', ROW);
  unknown.append('__proto__', 'x');
  for (const section of ['all', 'none', '__proto__'])
    expect(postedAnswers(template, { section, form: unknown, answers, lang: 'en-us' })).toEqual({
      changes: [],
      problems: [],
    });
});

test('"I have none" is an answer, and contradicts another one', () => {
  expect(post('all', { ...answers, 'all.name': '' }, { 'all.name#none': 'on' })).toEqual(
    changed({ none: true }, 'all.name'),
  );
  expect(post('all', answers, { 'all.name#none': 'on' }).problems).toEqual([
    { path: 'all.name', code: 'noneWithValue' },
  ]);
  const none: Answers = { 'all.name': { none: true } };
  expect(post('all', none)).toEqual({ changes: [], problems: [] });
  expect(post('all', none, { 'all.name#none': [] })).toEqual(changed(null, 'all.name'));
  expect(post('all', {}, { 'all.papers#none': 'on' })).toEqual(changed({ none: true }, 'all.papers'));
});

test('rows of a group are added and removed, within its limits', () => {
  const order = (of: Answers, button: string): unknown =>
    post('kids', of, { form: `step:${button}` }).changes.find(({ path }) => path === 'kids.child#order')
      ?.value;
  const one: Answers = { 'kids.child#order': [ROW] };
  const added = order(one, 'add-kids.child') as string[];
  expect(added).toEqual([ROW, expect.any(String)]);
  expect(added.every(isRowId)).toBe(true);
  expect(order(answers, 'add-kids.child')).toBeUndefined();
  expect(order(answers, 'remove-kids.child-0')).toEqual([OTHER_ROW]);
  expect(order(one, 'remove-kids.child-0')).toBeUndefined();
  expect(order(answers, 'remove-kids.child-7')).toBeUndefined();
});

test('a group that must have rows shows them at once, and the ids are those that are posted', () => {
  const [marker, group] = viewsOf('kids', {});
  expect(marker).toMatchObject({ kind: 'hidden', name: 'kids.child#order', value: '' });
  expect(group).toMatchObject({ kind: 'group', min: 1, max: 2, rowLabels: ['Child 1'], add: 'Add a child' });
  const form = posted(viewsOf('kids', {}));
  const { changes } = postedAnswers(template, { section: 'kids', form, answers: {}, lang: 'en-us' });
  const shown = [form.getAll('kids.child#order')[1]];
  expect(changes).toEqual([{ path: 'kids.child#order', value: shown, known: shown }]);
});

test('a row is answered, and its problem stands at its field', () => {
  const path = `kids.child.${ROW}.ssn`;
  const { changes, problems } = post('kids', answers, { [path]: '12' });
  expect(changes).toEqual([{ path, value: '12' }]);
  const group = viewsOf('kids', { ...answers, [path]: '12' }, 'en-us', { problems }).find(
    ({ kind }) => kind === 'group',
  );
  expect(group).toMatchObject({
    rows: [
      [{}, { value: 'Kim' }, { value: '12', problem: expect.stringContaining('123-45-6789') as unknown }],
      {},
    ],
  });
});

test('rows with ids that no editor makes are ignored, and their number is limited', () => {
  const many = Array.from({ length: 5000 }, (_, at) => String(at).padStart(12, 'r'));
  const value = post('kids', answers, { 'kids.child#order': ['', '__proto__', '../etc', ...many] }).changes[0]
    ?.value;
  expect(value).toEqual(many.slice(0, 200));
});

test('a text that no answer can hold is refused', () => {
  expect(post('all', answers, { 'all.story': 'x'.repeat(10_001) }).problems).toEqual([
    { path: 'all.story', code: 'tooLong', vars: { max: 10_000 } },
  ]);
});

test("last year's answer is shown beside its question, masked where it is sensitive", () => {
  const lastYear: Answers = { 'all.amount': { minor: 124_000, currency: 'USD' }, 'all.ssn': '123456789' };
  expect(viewOf('all.amount', {}, { lastYear })?.hint).toBe('Last year: $1,240.00');
  expect(viewOf('all.ssn', {}, { lastYear })?.hint).toBe('Last year: •••-••-6789');
});

test('answers are displayed in the language of the reader', () => {
  const shown = (path: string, lang: Lang = 'en-us', value: unknown = answers[path]): string => {
    const question = questionAt(template, path);
    return question ? displayValue(question, value, { lang, template }) : 'no question';
  };
  expect(shown('all.name')).toBe('Ada');
  expect(shown('all.sure', 'pt')).toBe('Sim');
  expect(shown('all.sure', 'fr', { unsure: true })).toBe('Je ne sais pas');
  expect(shown('all.many')).toBe('Choice a, Choice b');
  expect(shown('all.count')).toBe('12 weeks');
  expect(shown('all.amount')).toBe('$1,240.50');
  expect(shown('all.born')).toBe('May 3, 1980');
  expect(shown('all.since', 'es')).toBe('noviembre de 2024');
  expect(shown('all.year')).toBe('2019');
  expect(shown('all.ssn')).toBe('•••-••-6789');
  expect(shown('all.pin')).toBe('••••••');
  expect(shown('all.home')).toBe('1 Main St, Fresno, California, United States');
  expect(shown('all.papers')).toBe('2 files');
  expect(shown('all.papers', 'en-us', { notYet: true, by: '2027-02-20' })).toBe('Coming by Feb 20, 2027');
  expect(shown('all.papers', 'en-us', { none: true })).toBe('None');
  expect(shown('all.count', 'en-us', 'twelve')).toBe('twelve');
  expect(shown('all.ssn', 'en-us', '12345')).toBe('Not readable yet');
  expect(shown('all.name', 'en-us', null)).toBe('');
  const ssn = questionAt(template, 'all.ssn');
  expect(ssn && displayValue(ssn, '123456789', { lang: 'en-us', template, isRevealed: true })).toBe(
    '123-45-6789',
  );
});

test('every problem has a message in every language, with its limits', () => {
  const problems: Problem[] = [
    ...[
      'required',
      'requiredChoice',
      'requiredFiles',
      'mustBeYes',
      'notAllowed',
      'emailWrong',
      'numberWrong',
      'amountWrong',
      'wholeNumber',
      'wholeAmount',
      'negative',
      'choiceExclusive',
      'dateWrong',
      'monthWrong',
      'yearWrong',
      'identifierUnusual',
      'maskedChanged',
      'noneWithValue',
      'phoneWrong',
      'countryMissing',
      'countryNotOffered',
      'address1Missing',
      'cityMissing',
    ].map((code) => ({ path: 'a', code }) as Problem),
    ...['tooManyDecimals', 'choicesTooMany', 'filesTooMany', 'rowsTooMany', 'tooLong', 'tooLarge'].map(
      (code) => ({ path: 'a', code, vars: { max: 2 } }) as Problem,
    ),
    ...['choicesTooFew', 'filesTooFew', 'rowsTooFew', 'tooSmall'].map(
      (code) => ({ path: 'a', code, vars: { min: 1 } }) as Problem,
    ),
    { path: 'a', code: 'dateTooEarly', vars: { min: '2026-03-01' } },
    { path: 'a', code: 'dateTooLate', vars: { max: '2026-03' } },
    { path: 'a', code: 'tooLarge', vars: { max: { minor: 99_999_999_900, currency: 'USD' } } },
    { path: 'a', code: 'identifierWrong', vars: { scheme: 'iban' } },
  ];
  for (const lang of LANGS)
    for (const problem of problems) {
      const text = problemText(problem, lang);
      expect([lang, problem.code, text]).not.toContain(problem.code + text);
      expect(text).toMatch(/^[\p{Lu}«“].+[.!]$/su);
      expect(text).not.toMatch(/\{\{|undefined/);
    }
  expect(problemText(problems.at(-2) as Problem, 'en-us')).toBe('Enter $999,999,999.00 or less.');
  expect(problemText(problems.at(-4) as Problem, 'fr')).toContain('2026');
});
