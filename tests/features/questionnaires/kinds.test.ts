import { expect, test } from 'vitest';
import { isMasked, isSensitive, readAnswer } from '#features/tasks/questionnaires/answer-values.ts';
import { checkTemplate } from '#features/tasks/questionnaires/checks.server.ts';
import { displayValue } from '#features/tasks/questionnaires/display.server.ts';
import { editorSection } from '#features/tasks/questionnaires/editor.server.ts';
import { fieldViews } from '#features/tasks/questionnaires/fields.server.ts';
import { findEntries, offeredEntries, withEntries } from '#features/tasks/questionnaires/lookups.server.ts';
import { postedAnswers } from '#features/tasks/questionnaires/posted-answers.server.ts';
import type { Answers } from '#features/tasks/questionnaires/questionnaires.ts';
import { freeze, visibleSections } from '#features/tasks/questionnaires/rules.ts';
import { entryPath, wordsPath } from '#features/tasks/questionnaires/typed-answers.ts';
import '../../../src/app.server.ts';
import { en, published, questionOf, sectionOf, templateOf, type ItemInput } from './support.ts';

/* Times, entries of lists, codes for other programs, and numbers that are shown in full. */

const items: ItemInput[] = [
  { kind: 'clock', key: 'from', label: en('From') },
  { kind: 'hours', key: 'week', label: en('Hours a week'), max: 2640, tag: 'S-2200:infoContrato.qtdHrsSem' },
  { kind: 'lookup', key: 'nationality', label: en('Nationality'), list: 'countries' },
  {
    kind: 'text',
    key: 'since',
    label: en('In the country since'),
    when: { all: [{ op: 'isNot', of: 'nationality', value: 'BR' }] },
  },
  { kind: 'identifier', key: 'cpf', label: en('CPF'), scheme: 'cpf', isShown: true },
  {
    kind: 'choice',
    key: 'contract',
    label: en('Contract'),
    choices: [
      { key: 'usual', label: en('Usual'), code: '101', tag: 'S-2200:codCateg' },
      { key: 'other', label: en('Other') },
    ],
  },
];
const form = published(templateOf([sectionOf('job', items)], { country: 'BR' }));
const context = { companyId: 'firm', clientId: 'client', lang: 'en-us' } as const;
const CPF = '52998224725';

const filled: Answers = {
  'job.from': { minutes: 510 },
  'job.week': { minutes: 2640 },
  'job.nationality': { key: 'BR', text: 'Brazil' },
  'job.cpf': CPF,
  'job.contract': 'usual',
};

const post = async (fields: Record<string, string>, answers: Answers = {}) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  return withEntries(
    context,
    form,
    postedAnswers(form, { section: 'job', form: data, answers, lang: 'en-us' }),
  );
};

test('times and entries are shown as people write them', () => {
  const shown = (key: string) => {
    const question = form.sections[0]?.items.find((item) => item.key === key);
    if (!question || question.kind === 'group') throw new Error(key);
    return (['en-us', 'pt', 'fr'] as const).map((lang) =>
      displayValue(question, filled[`job.${key}`], { lang, template: form }).replaceAll(/\s/g, ' '),
    );
  };
  expect(shown('from')).toEqual(['8:30 AM', '08:30', '08 h 30']);
  expect(shown('week')).toEqual(['44:00', '44:00', '44:00']);
  expect(shown('nationality')).toEqual(['Brazil', 'Brazil', 'Brazil']);
  expect(shown('cpf')).toEqual(Array.from({ length: 3 }, () => '529.982.247-25'));
});

test('a time of day has a control of its own, and keeps what is no time', () => {
  const field = (answers: Answers) =>
    fieldViews(form, 'job', { answers, lang: 'en-us', newRowId: () => '' }).find(
      ({ name }) => name === 'job.from',
    );
  expect(field(filled)).toMatchObject({ type: 'time', value: '08:30' });
  expect(field({ 'job.from': 'at noon' })).toMatchObject({ value: 'at noon' });
  expect(field({ 'job.from': 'at noon' })).not.toHaveProperty('type');
});

test('an identifier that may be shown decides nothing all the same', () => {
  const shown = questionOf({
    kind: 'identifier',
    key: 'cpf',
    label: en('CPF'),
    scheme: 'cpf',
    isShown: true,
  });
  const hidden = questionOf({ kind: 'identifier', key: 'cpf', label: en('CPF'), scheme: 'cpf' });
  expect([isMasked(shown), isSensitive(shown)]).toEqual([false, true]);
  expect([isMasked(hidden), isSensitive(hidden)]).toEqual([true, true]);
  const depending = templateOf([
    sectionOf('job', [
      ...items,
      { kind: 'text', key: 'why', label: en('Why'), when: { all: [{ op: 'answered', of: 'cpf' }] } },
    ]),
  ]);
  expect(checkTemplate(depending)).toMatchObject({ problems: [{ code: 'templateSensitive' }] });
  // the browser decides what is shown without it
  const section = editorSection(form, 'job', { answers: filled, lang: 'en-us', newRowId: () => '' });
  expect(Object.keys(section?.answers ?? {})).not.toContain('job.cpf');
});

test('a submission has the codes that other programs know, and entries with their text of then', () => {
  const frozen = new Map(freeze(form, filled).map((answer) => [answer.path, answer]));
  expect(frozen.get('job.contract')).toMatchObject({
    value: 'usual',
    codes: [{ key: 'usual', code: '101', tag: 'S-2200:codCateg' }],
  });
  expect(frozen.get('job.week')).toMatchObject({
    value: { minutes: 2640 },
    tag: 'S-2200:infoContrato.qtdHrsSem',
  });
  expect(frozen.get('job.nationality')).toMatchObject({ value: { key: 'BR', text: 'Brazil' } });
  expect(freeze(form, { ...filled, 'job.contract': 'other' }).some((answer) => answer.codes)).toBe(false);
});

test('a condition compares the key of an entry, and times in minutes', () => {
  const asks = (answers: Answers): string[] =>
    visibleSections(form, answers).flatMap((section) => section.items.map(({ path }) => path));
  expect(asks(filled)).not.toContain('job.since');
  expect(asks({ ...filled, 'job.nationality': { key: 'PT', text: 'Portugal' } })).toContain('job.since');
});

test('what is typed names an entry by its text or its key, and is kept where it names none', async () => {
  const named = async (typed: string) => {
    const { changes, problems } = await post({ 'job.nationality': typed });
    return [changes[0]?.value, problems.map(({ code }) => code)];
  };
  expect(await named(' brazil ')).toEqual([{ key: 'BR', text: 'Brazil' }, []]);
  expect(await named('br')).toEqual([{ key: 'BR', text: 'Brazil' }, []]);
  expect(await named('Guinea')).toEqual([{ key: 'GN', text: 'Guinea' }, []]);
  expect(await named('Guin')).toEqual(['Guin', ['entryUnknown']]);
  expect(await named('Atlantis')).toEqual(['Atlantis', ['entryUnknown']]);
});

test('without scripts the entries for typed words are offered, and one is chosen', async () => {
  const answers: Answers = { 'job.nationality': 'guin' };
  const offered = await offeredEntries(context, form, 'job', answers);
  expect(offered.get('job.nationality')?.map(({ key }) => key)).toEqual(['GN', 'GW', 'GQ', 'PG']);
  const fields = fieldViews(form, 'job', { answers, offered, lang: 'en-us', newRowId: () => '' });
  expect(fields.find(({ name }) => name === entryPath('job.nationality'))).toMatchObject({ kind: 'choices' });
  const words = { [wordsPath('job.nationality')]: 'guin', [entryPath('job.nationality')]: 'PG' };
  const chosen = await post({ 'job.nationality': 'guin', ...words }, answers);
  expect(chosen.changes).toEqual([
    { path: 'job.nationality', value: { key: 'PG', text: 'Papua New Guinea' } },
  ]);
  // what is typed anew counts more than what was chosen for other words
  const typed = await post({ 'job.nationality': 'Chile', ...words }, answers);
  expect(typed.changes).toEqual([{ path: 'job.nationality', value: { key: 'CL', text: 'Chile' } }]);
});

test('an entry that its list no longer has stays while nobody changes it', async () => {
  const gone: Answers = { 'job.nationality': { key: 'YU', text: 'Yugoslavia' } };
  expect((await post({ 'job.nationality': 'Yugoslavia' }, gone)).changes).toEqual([]);
  expect(readAnswer(questionOf(items[2] as ItemInput), gone['job.nationality']).state).toBe('value');
});

test('a list answers with what begins with the words first, and with few entries', async () => {
  const found = await findEntries(context, 'countries', 'united');
  expect(found.slice(0, 2).every(({ text }) => text.startsWith('United'))).toBe(true);
  expect((await findEntries(context, 'countries', 'a')).length).toBe(20);
  expect(await findEntries(context, 'no-list', 'a')).toEqual([]);
});

test('a template with a list that nobody has is not published', () => {
  const wrong = templateOf([
    sectionOf('job', [{ kind: 'lookup', key: 'who', label: en('Who'), list: 'elves' }]),
  ]);
  expect(checkTemplate(wrong)).toEqual({
    problems: [{ path: 'sections.0.items.0.list', code: 'templateList' }],
  });
});
