import { expect, test } from 'vitest';
import type { Actor } from '#features/base/people/people.ts';
import { editorSection } from '#features/tasks/questionnaires/editor.server.ts';
import type { Answers } from '#features/tasks/questionnaires/questionnaires.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { saveAnswers } from '#features/tasks/tasks/answering.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { uploadToTask } from '#features/tasks/task-answers/files.server.ts';
import {
  answerOfLastYear,
  confirmLastYear,
  offeredAnswers,
} from '#features/tasks/task-answers/last-year.server.ts';
import {
  documentsOfLastYear,
  lastYearOf,
} from '#features/tasks/task-submissions/submitted-last-year.server.ts';
import { saveSection } from '#features/tasks/task-answers/posting.server.ts';
import { lastYearButton } from '#features/tasks/answer-editor/rules.ts';
import { taskRow } from '#features/tasks/tasks/scope.server.ts';
import { submissionJson } from '#features/tasks/task-submissions/submission-files.server.ts';
import { formOfTask, questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import type { Task } from '#features/tasks/tasks/tasks.ts';
import { fileOf, makeCast, pdf } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/* Last year's accepted answers are shown, and taken over by section only when somebody says that they are right. */

const { ada, ben, sam, clientA, clientB } = await makeCast();

const text = (en: string) => ({ 'en-us': en });
const prefill = { lastYear: 'prefill' } as const;
const childRows = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `child${at + 1}xxxxxx`);
const [ROW = ''] = childRows(1);

const formOf = (key: string, nameKind: 'text' | 'paragraph', declares: boolean) => ({
  format: 1 as const,
  key,
  country: 'US',
  languages: ['en-us' as const],
  label: text('Organizer'),
  sections: [
    {
      key: 'you',
      label: text('You'),
      items: [
        { kind: nameKind, key: 'name', label: text('Name'), required: true, ...prefill },
        { kind: 'text' as const, key: 'job', label: text('Job'), ...prefill },
        { kind: 'text' as const, key: 'note', label: text('Only shown') },
        { kind: 'text' as const, key: 'off', label: text('Off'), lastYear: 'off' as const },
        { kind: 'identifier' as const, key: 'ssn', scheme: 'ssn' as const, label: text('SSN'), ...prefill },
        { kind: 'money' as const, key: 'rent', currency: 'USD', label: text('Rent'), ...prefill },
        {
          kind: 'yesNo' as const,
          key: 'agree',
          label: text('I agree'),
          mustBeYes: declares,
          ...prefill,
        },
        { kind: 'files' as const, key: 'papers', label: text('Papers'), ...prefill },
        {
          kind: 'group' as const,
          key: 'child',
          label: text('Children'),
          one: text('Child'),
          addLabel: text('Add'),
          max: 3,
          ...prefill,
          items: [{ kind: 'text' as const, key: 'name', label: text('Name of child'), ...prefill }],
        },
      ],
    },
  ],
});

const ask = (
  taxYear: number,
  {
    key = 'family',
    clientId = clientA,
    nameKind = 'text' as 'text' | 'paragraph',
  }: { key?: string; clientId?: string; nameKind?: 'text' | 'paragraph' } = {},
): Promise<Task> =>
  createTask(sam, {
    clientId,
    type: 'questionnaire',
    params: { taxYear },
    form: formOf(key, nameKind, true),
  });

async function accepted(
  taxYear: number,
  name: string,
  { children = ['Zoë'], ...options }: Parameters<typeof ask>[1] & { children?: string[] } = {},
): Promise<Task> {
  const task = await ask(taxYear, options);
  const rows = childRows(children.length);
  await saveAnswers(ada, task.taskId, [
    { path: 'you.name', value: name },
    { path: 'you.job', value: 'Baker' },
    { path: 'you.note', value: 'Shown' },
    { path: 'you.off', value: 'Hidden' },
    { path: 'you.ssn', value: '123456789' },
    { path: 'you.rent', value: { minor: 100, currency: 'USD' } },
    { path: 'you.agree', value: true },
    { path: 'you.child#order', value: rows },
    ...rows.map((row, at) => ({ path: `you.child.${row}.name`, value: children[at] ?? '' })),
  ]);
  await uploadToTask(ada, task.taskId, 'you.papers', { name: `w2 ${name}.pdf`, bytes: fileOf(pdf(name)) });
  await performAction(ada, task.taskId, 'submit');
  await performAction(sam, task.taskId, 'accept');
  return task;
}

async function lastOf(task: Task, actor: Actor = ada) {
  const row = await taskRow(actor, task.taskId);
  const form = await formOfTask(row);
  if (!form) throw new Error('The task asks nothing.');
  const last = await lastYearOf(row, form);
  const { answers } = await questionAnswers(task.taskId);
  return { form, last, answers };
}

async function offered(task: Task): Promise<string[]> {
  const { form, last, answers } = await lastOf(task);
  return offeredAnswers(form, 'you', { answers, last: last ?? {}, lang: 'en-us' }).map(({ path }) => path);
}

const answersOf = async (task: Task): Promise<Answers> => (await questionAnswers(task.taskId)).answers;

test('only what the template repeats is offered, and never amounts, documents, declarations or sensitive numbers', async () => {
  await accepted(2020, 'Ada');
  const task = await ask(2021);
  expect(await offered(task)).toEqual(['you.name', 'you.job', `you.child.${ROW}.name`]);
  const { last } = await lastOf(task);
  expect(last?.['you.note']).toBe('Shown');
  expect(last).not.toHaveProperty('you.off');
});

test('last year’s answers answer nothing until somebody says that they are right', async () => {
  await accepted(2030, 'Ada');
  const task = await ask(2031);
  expect(await answersOf(task)).toEqual({});
  await saveAnswers(ada, task.taskId, [{ path: 'you.job', value: 'Cook' }]);
  await confirmLastYear(ada, task.taskId, 'you');
  expect(await answersOf(task)).toEqual({
    'you.name': { same: true, of: 'Ada' },
    'you.job': 'Cook',
    'you.child#order': [ROW],
    [`you.child.${ROW}.name`]: { same: true, of: 'Zoë' },
  });
  expect(await offered(task)).toEqual([]);
  await saveAnswers(ada, task.taskId, [{ path: 'you.agree', value: true }]);
  await performAction(ada, task.taskId, 'submit');
  const file = await submissionJson(sam, task.taskId, 'en-us');
  expect(file.answers.map(({ path, source }) => [path, source])).toContainEqual(['you.name', 'last-year']);
  expect(file.answers.map(({ path, source }) => [path, source])).toContainEqual(['you.job', 'typed']);
});

test('the documents of last year are shown to those who see them', async () => {
  await accepted(2040, 'Papers');
  const { form, last } = await lastOf(await ask(2041));
  const documents = await documentsOfLastYear(ada, form, last ?? {});
  expect(documents.get('you.papers')?.map(({ name }) => name)).toEqual(['w2 Papers.pdf']);
  expect((await documentsOfLastYear(ben, form, last ?? {})).get('you.papers')).toEqual([]);
});

test('only an accepted submission of the same template, client and year before counts', async () => {
  await accepted(2050, 'Ada');
  const submitted = await ask(2054);
  await saveAnswers(ada, submitted.taskId, [
    { path: 'you.name', value: 'Not accepted' },
    { path: 'you.agree', value: true },
  ]);
  await performAction(ada, submitted.taskId, 'submit');
  const others = [
    await ask(2052),
    await ask(2051, { key: 'other' }),
    await ask(2051, { clientId: clientB }),
    await ask(2055),
  ];
  for (const task of others) expect((await lastOf(task, sam)).last).toBeUndefined();
});

test('an answer to a question that is of another kind now does not count', async () => {
  await accepted(2060, 'Ada');
  const { last } = await lastOf(await ask(2061, { nameKind: 'paragraph' }));
  expect(last).not.toHaveProperty('you.name');
  expect(last?.['you.job']).toBe('Baker');
});

test('a list of a firm’s own questions has no year before, unless it is of the same template', async () => {
  await accepted(2070, 'Ada', { key: 'request' });
  expect((await lastOf(await ask(2071, { key: 'request' }))).last).toBeUndefined();
});

test('only contacts of the client take over answers, while the task is open', async () => {
  await accepted(2080, 'Ada');
  const task = await ask(2081);
  await expect(confirmLastYear(ben, task.taskId, 'you')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(confirmLastYear(ada, task.taskId, 'none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await performAction(sam, task.taskId, 'cancel');
  await expect(confirmLastYear(ada, task.taskId, 'you')).rejects.toMatchObject({ code: 'CLOSED' });
});

test('one question is answered as last year, with what else was typed', async () => {
  await accepted(2090, 'Ada');
  const task = await ask(2091);
  const posted = new FormData();
  posted.append('you.name', 'Typed meanwhile');
  posted.append('you.job', 'Cook');
  posted.append('form', lastYearButton('step', 'you.name'));
  const { problems } = await saveSection(ada, task.taskId, { section: 'you', form: posted, lang: 'en-us' });
  expect(problems).toEqual([]);
  expect(await answersOf(task)).toEqual({ 'you.name': { same: true, of: 'Ada' }, 'you.job': 'Cook' });
});

test('a row that was not taken over is added with what the template repeats, and once', async () => {
  await accepted(2110, 'Ada', { children: ['Zoë', 'Max'] });
  const task = await ask(2111);
  const [first = '', second = ''] = childRows(2);
  const { form, last = {}, answers } = await lastOf(task);
  const section = editorSection(form, 'you', {
    answers,
    lang: 'en-us',
    newRowId: () => 'row0xxxxxxxx',
    lastYear: last,
  });
  expect(section?.items.find((item) => item.kind === 'group')?.lastRows).toEqual({
    [first]: 'Add Zoë from last year',
    [second]: 'Add Max from last year',
  });
  const press = async (rows: string[], row: string): Promise<void> => {
    const posted = new FormData();
    for (const each of ['', ...rows]) posted.append('you.child#order', each);
    posted.append('you.job', 'Cook');
    posted.append('form', lastYearButton('step', `you.child.${row}`));
    await saveSection(ada, task.taskId, { section: 'you', form: posted, lang: 'en-us' });
  };
  // in the place of the empty row that the person has just added
  await press(['blankxxxxxxx'], second);
  expect(await answersOf(task)).toEqual({
    'you.job': 'Cook',
    'you.child#order': [second],
    [`you.child.${second}.name`]: { same: true, of: 'Max' },
  });
  await press([second], second);
  await press([second], 'nonexxxxxxxx');
  expect((await answersOf(task))['you.child#order']).toEqual([second]);
  // what was entered this year before the row was removed stays
  await saveAnswers(ada, task.taskId, [{ path: `you.child.${first}.name`, value: 'Zoé' }]);
  await press([second], first);
  expect(await answersOf(task)).toMatchObject({
    'you.child#order': [second, first],
    [`you.child.${first}.name`]: 'Zoé',
  });
});

test('no more rows are added than the group has', async () => {
  await accepted(2120, 'Ada');
  const task = await ask(2121);
  const rows = childRows(3).map((id) => id.replace('child', 'other'));
  await saveAnswers(ada, task.taskId, [
    { path: 'you.child#order', value: rows },
    ...rows.map((id) => ({ path: `you.child.${id}.name`, value: id })),
  ]);
  const posted = new FormData();
  for (const each of ['', ...rows]) posted.append('you.child#order', each);
  for (const id of rows) posted.append(`you.child.${id}.name`, id);
  posted.append('form', lastYearButton('step', `you.child.${ROW}`));
  await saveSection(ada, task.taskId, { section: 'you', form: posted, lang: 'en-us' });
  expect((await answersOf(task))['you.child#order']).toEqual(rows);
});

test('an amount is used for its question alone; sensitive numbers, declarations and documents never are', async () => {
  await accepted(2100, 'Ada');
  const task = await ask(2101);
  const row = await taskRow(ada, task.taskId);
  const { form, last, answers } = await lastOf(task);
  const of = (path: string) => answerOfLastYear(row, form, path);
  expect(await of('you.rent')).toEqual({ same: true, of: { minor: 100, currency: 'USD' } });
  for (const path of ['you.ssn', 'you.agree', 'you.papers', 'you.off', 'you.none'])
    expect(await of(path), path).toBeUndefined();
  const section = editorSection(form, 'you', {
    answers,
    lang: 'en-us',
    newRowId: () => ROW,
    ...(last && { lastYear: last }),
  });
  expect(section?.lastYear).toEqual({
    'you.name': [['you.name', ['Ada']]],
    'you.job': [['you.job', ['Baker']]],
    'you.note': [['you.note', ['Shown']]],
    'you.rent': [['you.rent', ['1.00']]],
  });
  expect(JSON.stringify(section)).not.toContain('123456789');
  expect(JSON.stringify(section)).not.toContain('123-45-6789');
});
