import { expect, test } from 'vitest';
import type { Actor } from '#features/base/people/people.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { chooseAnswer, keptAnswers } from '#features/tasks/tasks/kept-answers.server.ts';
import { taskOf } from '#features/tasks/tasks/reading.server.ts';
import { formOfTask, questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import type { Task } from '#features/tasks/tasks/tasks.ts';
import type { AnswerChanges, ChangeResult } from '#features/tasks/answer-editor/answer-editor.ts';
import { taskRow } from '#features/tasks/tasks/scope.server.ts';
import { apiAs, filesForm } from '../../support/api.ts';
import { makeCast } from '../../support/cast.ts';
import { en, sectionOf, templateOf } from '../questionnaires/support.ts';
import '../../../src/app.server.ts';

const { ada, ben, cleo, sam, zoe, clientA } = await makeCast();

const form = templateOf([
  sectionOf('year', [
    { kind: 'text', key: 'name', label: en('Name'), required: true },
    { kind: 'number', key: 'miles', label: en('Miles') },
    { kind: 'identifier', key: 'ssn', label: en('SSN'), scheme: 'ssn' },
    { kind: 'files', key: 'papers', label: en('Papers') },
    {
      kind: 'group',
      key: 'child',
      label: en('Children'),
      one: en('Child'),
      addLabel: en('Add a child'),
      max: 20,
      items: [{ kind: 'text', key: 'name', label: en('Name') }],
    },
  ]),
]);

const ask = (): Promise<Task> =>
  createTask(sam, { clientId: clientA, type: 'questionnaire', label: 'Organizer', form: { ...form } });

type Change = AnswerChanges['changes'][number];

async function send(actor: Actor, { taskId }: Task, tab: string, changes: Change[]) {
  const answer = await apiAs(actor)('POST', `/api/client-center/v3/tasks/${taskId}/answers`, {
    json: { tab, language: 'en-us', changes },
  });
  const body = (await answer.json()) as { data?: { results: ChangeResult[] }; errors?: { code: string }[] };
  return { status: answer.status, results: body.data?.results ?? [], code: body.errors?.[0]?.code };
}

const TAB = 'tab-of-ada-1';
const OTHER = 'tab-of-cleo-1';
const answersIn = async ({ taskId }: Task) => (await questionAnswers(taskId)).answers;
const change = (path: string, value: unknown, sequence: number, base = 0): Change => ({
  path,
  value,
  base,
  sequence,
});

test('what a person types is saved as it is typed, starts the task, and has its problems named', async () => {
  const task = await ask();
  const first = await send(ada, task, TAB, [
    change('year.name', ' Ada ', 1),
    change('year.miles', '1,250', 2),
    change('year.ssn', '12', 3),
    change('1#comment', 'More in May.', 4),
  ]);
  expect(first.results).toMatchObject([
    { path: 'year.name', result: 'saved', version: 1 },
    { path: 'year.miles', result: 'saved', version: 1 },
    { path: 'year.ssn', result: 'saved', problem: { path: 'year.ssn', code: 'identifierWrong' } },
    { path: '1#comment', result: 'saved', version: 1 },
  ]);
  expect(await answersIn(task)).toEqual({ 'year.name': 'Ada', 'year.miles': 1250, 'year.ssn': '12' });
  const stored = await taskOf(ada, task.taskId, { steps: true });
  expect(stored).toMatchObject({ status: 'WIP', steps: [{ comment: 'More in May.' }] });
  await send(ada, task, TAB, [change('year.name', null, 5, 1), change('1#comment', '', 6, 1)]);
  expect(await answersIn(task)).not.toHaveProperty(['year.name']);
});

test('a change that is sent again, or arrives after a later one, changes nothing', async () => {
  const task = await ask();
  const late = change('year.name', 'A', 1);
  expect((await send(ada, task, TAB, [change('year.name', 'Ad', 2)])).results[0]?.result).toBe('saved');
  expect((await send(ada, task, TAB, [late])).results[0]).toMatchObject({ result: 'superseded', version: 1 });
  expect((await send(ada, task, TAB, [change('year.name', 'Ad', 2)])).results[0]).toMatchObject({
    result: 'saved',
    version: 1,
  });
  // the response to the first was lost, so that its tab still knows version 0
  expect((await send(ada, task, TAB, [change('year.name', 'Ada', 3)])).results[0]).toMatchObject({
    result: 'saved',
    version: 2,
  });
  expect((await answersIn(task))['year.name']).toBe('Ada');
});

test('of two people who change one answer both texts stay until one of them chooses', async () => {
  const task = await ask();
  await send(ada, task, TAB, [change('year.name', 'Ada', 1)]);
  const [clash, saved] = (
    await send(cleo, task, OTHER, [change('year.name', 'Cle', 1), change('year.miles', 7, 2)])
  ).results;
  expect(clash).toMatchObject({
    result: 'conflict',
    version: 1,
    conflict: { stored: 'Ada', kept: 'Cle', by: 'Ada Amber', isOwn: false },
  });
  expect(saved?.result).toBe('saved');
  // she types on: what is kept is what she typed last
  await send(cleo, task, OTHER, [change('year.name', 'Cleo', 3)]);
  const late = await send(cleo, task, OTHER, [change('year.name', 'Cle', 1)]);
  expect(late.results[0]?.result).toBe('superseded');
  const kept = async () => {
    const template = await formOfTask(await taskRow(ada, task.taskId));
    return template ? keptAnswers('en-us', task.taskId, template, await answersIn(task)) : [];
  };
  expect(await kept()).toMatchObject([{ question: 'Name', stored: 'Ada', kept: 'Cleo' }]);
  await expect(performAction(ada, task.taskId, 'submit')).rejects.toMatchObject({
    details: { undecided: true },
  });
  // based on what she was shown, it is her decision
  const decided = await send(cleo, task, OTHER, [change('year.name', 'Cleo', 4, 1)]);
  expect(decided.results[0]).toMatchObject({ result: 'saved', version: 2 });
  expect(await kept()).toEqual([]);
  expect((await answersIn(task))['year.name']).toBe('Cleo');
});

test('two comments that were written at the same time are both there to choose from', async () => {
  const task = await ask();
  await send(ada, task, TAB, [change('1#comment', 'From Ada', 1)]);
  const { results } = await send(cleo, task, OTHER, [change('1#comment', 'From Cleo', 1)]);
  expect(results[0]?.conflict).toMatchObject({ stored: 'From Ada', kept: 'From Cleo' });
  await chooseAnswer(ada, task.taskId, results[0]?.conflict?.keptId ?? '', true);
  expect((await taskOf(ada, task.taskId, { steps: true })).steps?.[0]?.comment).toBe('From Cleo');
});

const [A, B, C] = ['row-aaaaaaaa', 'row-bbbbbbbb', 'row-cccccccc'] as const;
const ROWS = 'year.child#order';

test('the first rows, which each of two pages shows before there is any, are both kept', async () => {
  const task = await ask();
  await send(ada, task, TAB, [{ ...change(ROWS, [A], 1), known: [A] }]);
  await send(cleo, task, OTHER, [{ ...change(ROWS, [B], 1), known: [B] }]);
  expect((await answersIn(task))[ROWS]).toEqual([A, B]);
});

test('a form without versions removes only a row that it showed', async () => {
  const task = await ask();
  await send(ada, task, TAB, [{ ...change(ROWS, [A, B], 1), known: [] }]);
  const posted = filesForm();
  posted.append(ROWS, '');
  posted.append(ROWS, B);
  posted.append('form', 'step:remove-year.child-0');
  await apiAs(ada)('POST', `/api/client-center/v3/tasks/${task.taskId}/sections/year`, { form: posted });
  expect((await answersIn(task))[ROWS]).toEqual([A]);
});

test('a long section is posted as a whole: many fields, long answers, and their versions', async () => {
  const keys = Array.from({ length: 50 }, (_, at) => `question-${at}`);
  const long = templateOf([
    sectionOf('year', [
      ...keys.map((key) => ({ kind: 'text' as const, key, label: en(key) })),
      { kind: 'paragraph', key: 'story', label: en('Story') },
    ]),
  ]);
  const task = await createTask(sam, { clientId: clientA, type: 'questionnaire', label: 'Long', form: long });
  const story = 'ß'.repeat(9000);
  const posted = filesForm();
  for (const key of keys) posted.append(`year.${key}`, `Answer to ${key}`);
  posted.append('year.story', story);
  posted.append('versions', JSON.stringify(Object.fromEntries(keys.map((key) => [`year.${key}`, 0]))));
  posted.append('form', 'step');
  await apiAs(ada)('POST', `/api/client-center/v3/tasks/${task.taskId}/sections/year`, { form: posted });
  const answers = await answersIn(task);
  expect(Object.keys(answers)).toHaveLength(51);
  expect(answers['year.question-49']).toBe('Answer to question-49');
  expect(answers['year.story']).toBe(story);
});

test('a section with more fields than any has is refused as a whole', async () => {
  const task = await ask();
  const posted = filesForm();
  posted.append('year.name', 'Mill');
  for (let at = 0; at < 5001; at += 1) posted.append(`other-${at}`, 'x');
  const answer = await apiAs(ada)('POST', `/api/client-center/v3/tasks/${task.taskId}/sections/year`, {
    form: posted,
  });
  expect(answer.status).toBe(413);
  expect(await answersIn(task)).toEqual({});
});

test('rows that two people add are both kept, and a row that one of them removes is gone', async () => {
  const task = await ask();
  const rows = (value: string[], known: string[], sequence: number): Change => ({
    ...change(ROWS, value, sequence),
    known,
  });
  await send(ada, task, TAB, [rows([A], [], 1)]);
  await send(cleo, task, OTHER, [rows([B], [], 1)]);
  expect((await answersIn(task))[ROWS]).toEqual([A, B]);
  await send(ada, task, TAB, [{ ...rows([A, B, C], [A, B], 2), base: 2 }]);
  await send(cleo, task, OTHER, [{ ...rows([B], [A, B], 2), base: 2 }]);
  expect((await answersIn(task))[ROWS]).toEqual([B, C]);
  // the form without scripts, which showed the row B only
  const posted = filesForm();
  posted.append(ROWS, '');
  posted.append(ROWS, B);
  posted.append('versions', JSON.stringify({ [ROWS]: 1 }));
  posted.append('form', 'step:remove-year.child-0');
  await apiAs(ada)('POST', `/api/client-center/v3/tasks/${task.taskId}/sections/year`, { form: posted });
  expect((await answersIn(task))[ROWS]).toEqual([C]);
});

test('what cannot be an answer is refused alone, and strangers, staff and closed tasks altogether', async () => {
  const task = await ask();
  const { status, results } = await send(ada, task, TAB, [
    change('year.other', 'x', 1),
    change('__proto__', 'x', 2),
    change('1#not-apply', 'x', 3),
    change('2#comment', 'x', 4),
    change('year.papers', ['doc_of_somebody'], 5),
    change(ROWS, ['short'], 6),
    change('year.name', { minor: 1 }, 7),
    change('year.miles', 5, 8),
  ]);
  expect(status).toBe(200);
  expect(results.map(({ result }) => result)).toEqual([...Array<string>(7).fill('refused'), 'saved']);
  expect(await answersIn(task)).toEqual({ 'year.miles': 5 });
  for (const stranger of [ben, zoe])
    expect((await send(stranger, task, TAB, [change('year.miles', 6, 9, 1)])).status).toBe(404);
  expect((await send(sam, task, TAB, [change('year.miles', 6, 9, 1)])).code).toBe('FORBIDDEN');
  const many = Array.from({ length: 51 }, (_, at) => change('year.miles', at, at + 1));
  expect((await send(ada, task, TAB, many)).code).toBe('INVALID');
  await performAction(ada, task.taskId, 'set-not-applicable', { reason: 'Closed' });
  expect((await send(ada, task, TAB, [change('year.miles', 6, 9, 1)])).code).toBe('CLOSED');
});
