import { expect, test } from 'vitest';
import type { Actor } from '#features/base/people/people.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { saveAnswers, setStepNotApplicable } from '#features/tasks/tasks/answering.server.ts';
import { saveChanges } from '#features/tasks/task-answers/autosaving.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { removeFromTask } from '#features/tasks/task-answers/files.server.ts';
import { decisionsOf } from '#features/tasks/tasks/decisions.server.ts';
import { returnMessage, returnReason } from '#features/tasks/tasks/return-reasons.server.ts';
import { returnedItems, withReturnedItems } from '#features/tasks/task-page/returned-items.server.ts';
import { taskOf } from '#features/tasks/tasks/reading.server.ts';
import { reviewOf } from '#features/tasks/task-review/review-view.server.ts';
import { decideItem } from '#features/tasks/task-review/reviewing.server.ts';
import { taskRow } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask, questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import type { Task } from '#features/tasks/tasks/tasks.ts';
import { makeCast } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/*
 * The firm accepts and returns the items of a submission one by one, and the client may change only what was returned.
 */

const { ada, ben, cleo, sam, zoe, tom, clientA } = await makeCast();

const NAME = 'you.name';
const HAS = 'you.has-dependents';
const MORE = 'you.more';
const CHILDREN = 'you.child';
const row = (id: string): string => `${CHILDREN}.${id.padEnd(12, 'x')}`;
const [FIRST, SECOND, THIRD] = ['first', 'second', 'third'].map((id) => row(id)) as [string, string, string];
const idOf = (path: string): string => path.split('.').at(-1) ?? '';

const text = (en: string) => ({ 'en-us': en });

const ask = (): Promise<Task> =>
  createTask(sam, {
    clientId: clientA,
    type: 'questionnaire',
    label: 'Organizer',
    form: {
      format: 1,
      key: 'family',
      country: 'US',
      languages: ['en-us'],
      label: text('Family'),
      sections: [
        {
          key: 'you',
          label: text('You'),
          items: [
            { kind: 'text', key: 'name', label: text('Name'), required: true },
            { kind: 'yesNo', key: 'has-dependents', label: text('Dependents?'), required: true },
            {
              kind: 'text',
              key: 'more',
              label: text('Which ones?'),
              required: true,
              when: { all: [{ op: 'is', of: 'has-dependents', value: true }] },
            },
            {
              kind: 'group',
              key: 'child',
              label: text('Children'),
              one: text('Child'),
              addLabel: text('Add a child'),
              max: 5,
              items: [{ kind: 'text', key: 'name', label: text('Name of the child'), required: true }],
            },
            { kind: 'files', key: 'papers', label: text('Papers') },
          ],
        },
        { key: 'rest', label: text('Rest'), items: [{ kind: 'text', key: 'note', label: text('Note') }] },
      ],
    },
  });

test('the progress counts the sections in which something is asked for or answered', async () => {
  const { taskId } = await ask();
  const progress = async () =>
    (await taskOf(ada, taskId, { steps: true })).steps?.map(({ required, settled }) => [required, settled]);
  const before = [
    [true, false],
    [false, false],
  ];
  expect(await progress()).toEqual(before);
  await saveAnswers(ada, taskId, [{ path: 'rest.note', value: 'Hello' }]);
  expect(await progress()).toEqual([before[0], [true, true]]);
});

async function submitted(): Promise<Task> {
  const task = await ask();
  await saveAnswers(ada, task.taskId, [
    { path: NAME, value: 'Ada' },
    { path: HAS, value: false },
    { path: `${CHILDREN}#order`, value: [FIRST, SECOND].map(idOf) },
    { path: `${FIRST}.name`, value: 'Ann' },
    { path: `${SECOND}.name`, value: 'Bob' },
  ]);
  await performAction(ada, task.taskId, 'submit');
  return task;
}

const decide = (
  actor: Actor,
  { taskId }: Task,
  path: string,
  decision: 'accepted' | 'returned' | 'open',
  { reason = '', submission = 1, sequence = 0 } = {},
): Promise<void> => decideItem(actor, taskId, { path, decision, reason, submission, sequence });

const change = (task: Task, path: string, value: string | boolean | string[]): Promise<unknown> =>
  saveAnswers(ada, task.taskId, [{ path, value }]);

async function review(task: Task, isAll = false) {
  const current = await taskRow(sam, task.taskId);
  const form = await formOfTask(current);
  if (!form) throw new Error('The task has no questions.');
  const { answers } = await questionAnswers(task.taskId);
  return reviewOf(sam, { lang: 'en-us', row: current, form, answers, isAll });
}

const statesOf = async (task: Task, isAll = false) =>
  Object.fromEntries(
    (await review(task, isAll)).sections.flatMap(({ items }) =>
      items.map(({ path, state }) => [path, state]),
    ),
  );

test('items are questions, rows as a whole and groups without rows, and each decision is added', async () => {
  const task = await submitted();
  expect(await statesOf(task)).toEqual({
    [NAME]: 'open',
    [HAS]: 'open',
    [FIRST]: 'open',
    [SECOND]: 'open',
    'you.papers': 'open',
    'rest.note': 'open',
  });
  await decide(sam, task, NAME, 'accepted');
  await decide(sam, task, SECOND, 'returned', { reason: 'The full name, please.' });
  await decide(sam, task, SECOND, 'open', { sequence: 1 });
  await decide(sam, task, SECOND, 'returned', { reason: 'The full name, please.', sequence: 2 });
  const { counts } = await review(task);
  expect(counts).toEqual({ all: 6, checked: 2, returned: 1, hidden: 0 });
  expect((await decisionsOf(task.taskId, 1)).get(SECOND)).toMatchObject({
    sequence: 3,
    decision: 'returned',
  });
});

test('a decision is refused to contacts, viewers and people of others, without a reason, and for what is no item', async () => {
  const task = await submitted();
  for (const actor of [ada, ben, cleo])
    await expect(decide(actor, task, NAME, 'accepted'), actor.fullName).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:FORBIDDEN|NOT_FOUND)$/) as string,
    });
  for (const actor of [zoe, tom])
    await expect(decide(actor, task, NAME, 'accepted')).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:FORBIDDEN|NOT_FOUND)$/) as string,
    });
  await expect(decide(sam, task, NAME, 'returned', { reason: '  ' })).rejects.toMatchObject({
    code: 'EMPTY',
  });
  for (const path of ['you.nothing', CHILDREN, `${FIRST}.name`, MORE, '#comment', '__proto__'])
    await expect(decide(sam, task, path, 'accepted'), path).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const open = await ask();
  await expect(decide(sam, open, NAME, 'accepted', { submission: 0 })).rejects.toMatchObject({
    code: 'NOT_POSSIBLE',
  });
});

test('of two reviewers who decide about one item at the same time, one decides and the other learns of it', async () => {
  const task = await submitted();
  const results = await Promise.allSettled([
    decide(sam, task, NAME, 'accepted'),
    decide(sam, task, NAME, 'returned', { reason: 'Initials are not enough.' }),
  ]);
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { code: 'EDIT_CONFLICT' },
  });
  expect((await decisionsOf(task.taskId, 1)).get(NAME)?.sequence).toBe(1);
});

test('a task with items to return cannot be accepted, and its return needs no other reason', async () => {
  const task = await submitted();
  await decide(sam, task, NAME, 'returned', { reason: 'Initials are not enough.' });
  await expect(performAction(sam, task.taskId, 'accept')).rejects.toMatchObject({ code: 'NOT_POSSIBLE' });
  expect(await performAction(sam, task.taskId, 'return')).toMatchObject({ status: 'WIP' });
  const other = await submitted();
  await expect(performAction(sam, other.taskId, 'return')).rejects.toMatchObject({ code: 'EMPTY' });
});

test('after a return only the returned items are open, until it is submitted again', async () => {
  const task = await submitted();
  await decide(sam, task, HAS, 'returned', { reason: 'You named two children.' });
  await decide(sam, task, SECOND, 'returned', { reason: 'The full name, please.' });
  await performAction(sam, task.taskId, 'return');
  for (const [path, value] of [
    [NAME, 'Eve'],
    [`${FIRST}.name`, 'Eve'],
    ['rest.note', 'Eve'],
    [`${CHILDREN}#order`, [SECOND, THIRD].map(idOf)],
  ] as const)
    await expect(
      change(task, path, typeof value === 'string' ? value : [...value]),
      path,
    ).rejects.toMatchObject({
      code: 'LOCKED',
    });
  await expect(removeFromTask(ada, task.taskId, 'you.papers', 'doc_1')).rejects.toMatchObject({
    code: 'LOCKED',
  });
  await expect(setStepNotApplicable(ada, task.taskId, 2, 'Nothing')).rejects.toMatchObject({
    code: 'LOCKED',
  });
  await change(task, HAS, true);
  await expect(performAction(ada, task.taskId, 'submit'), 'a new question is asked').rejects.toMatchObject({
    code: 'INCOMPLETE',
  });
  await change(task, MORE, 'Two');
  await change(task, `${SECOND}.name`, 'Robert');
  await change(task, `${CHILDREN}#order`, [FIRST, SECOND, THIRD].map(idOf));
  await change(task, `${THIRD}.name`, 'Carl');
  await performAction(ada, task.taskId, 'submit');
  expect(await statesOf(task)).toEqual({ [HAS]: 'open', [MORE]: 'open', [SECOND]: 'open', [THIRD]: 'open' });
  const short = await review(task);
  expect(short).toMatchObject({ isShort: true, counts: { all: 8, checked: 4, hidden: 4 } });
  const items = short.sections.flatMap((section) => section.items);
  expect(items.find(({ path }) => path === SECOND)).toMatchObject({
    isChanged: true,
    returnedBefore: 'The full name, please.',
    answers: [{ text: 'Robert', before: 'Bob' }],
  });
  expect(await statesOf(task, true)).toMatchObject({ [NAME]: 'earlier', [FIRST]: 'earlier' });
});

test('an answer typed after the firm has accepted it is refused in words, and the others are saved', async () => {
  const task = await submitted();
  await decide(sam, task, SECOND, 'returned', { reason: 'The full name, please.' });
  await performAction(sam, task.taskId, 'return');
  const { versions } = await questionAnswers(task.taskId);
  const results = await saveChanges(ada, task.taskId, {
    tab: 'tab-of-ada-1',
    language: 'en-us',
    changes: [NAME, `${SECOND}.name`].map((path, at) => ({
      path,
      value: 'Robert',
      base: versions.get(path) ?? 0,
      sequence: at + 1,
    })),
  });
  expect(results).toMatchObject([
    {
      path: NAME,
      result: 'refused',
      problem: {
        path: NAME,
        code: 'LOCKED',
        text: 'Your firm has accepted this answer, so it can no longer be changed.',
      },
    },
    { path: `${SECOND}.name`, result: 'saved' },
  ]);
  const { answers } = await questionAnswers(task.taskId);
  expect([answers[NAME], answers[`${SECOND}.name`]]).toEqual(['Ada', 'Robert']);
});

test('what was accepted stays closed when the client takes the second submission back', async () => {
  const task = await submitted();
  await decide(sam, task, NAME, 'returned', { reason: 'Initials are not enough.' });
  await performAction(sam, task.taskId, 'return');
  await change(task, NAME, 'Ada Birch');
  await performAction(ada, task.taskId, 'submit');
  await performAction(ada, task.taskId, 'take-back');
  await change(task, NAME, 'Ada B. Birch');
  await expect(change(task, HAS, true)).rejects.toMatchObject({ code: 'LOCKED' });
});

test('a return without marked items, and a reopened task, are open as a whole', async () => {
  const task = await submitted();
  await performAction(sam, task.taskId, 'return', { reason: 'Please check all.' });
  await change(task, NAME, 'Eve');
  await performAction(ada, task.taskId, 'submit');
  await decide(sam, task, NAME, 'accepted', { submission: 2 });
  await performAction(sam, task.taskId, 'accept');
  await performAction(sam, task.taskId, 'reopen');
  await change(task, HAS, true);
});

test('the client reads each reason at its item and sees what was accepted as text', async () => {
  const task = await submitted();
  await decide(sam, task, NAME, 'returned', { reason: 'Initials are not enough.' });
  await performAction(sam, task.taskId, 'return');
  const current = await taskRow(ada, task.taskId);
  const form = await formOfTask(current);
  if (!form) throw new Error('The task has no questions.');
  const found = await returnedItems(current, form, 'en-us');
  expect(found?.items).toEqual([
    { path: NAME, title: 'Name', reason: 'Initials are not enough.', section: 'you' },
  ]);
  const { answers } = await questionAnswers(task.taskId);
  const shown = withReturnedItems(
    {
      key: 'you',
      template: form,
      answers,
      lastYear: {},
      items: [
        {
          kind: 'question',
          path: NAME,
          fields: [{ kind: 'text', name: NAME, label: 'Name', value: 'Ada' }],
        },
        {
          kind: 'question',
          path: HAS,
          fields: [{ kind: 'choices', name: HAS, label: 'Dependents?', value: 'no', choices: [] }],
        },
      ],
    },
    found,
    { lang: 'en-us', form, answers, firm: 'Maple & Hart' },
  );
  expect(shown.items).toMatchObject([
    { fields: [{ kind: 'text', problem: 'Maple & Hart: Initials are not enough.' }] },
    { fields: [{ kind: 'note', label: '✓ Dependents?: No (accepted)' }] },
  ]);
});

test('a member of staff who views as a contact decides nothing', async () => {
  const task = await submitted();
  await expect(decide({ ...ada, viewedBy: sam.contactId }, task, NAME, 'accepted')).rejects.toMatchObject({
    code: expect.stringMatching(/^(?:FORBIDDEN|UNAUTHENTICATED)$/) as string,
  });
  expect((await decisionsOf(task.taskId, 1)).size).toBe(0);
});

test('the email about a return has the message of the firm and the reason of each item', async () => {
  const task = await submitted();
  await decide(sam, task, NAME, 'returned', { reason: 'Initials are not enough.' });
  await performAction(sam, task.taskId, 'return', { reason: 'Almost there.' });
  const row = await taskRow(ada, task.taskId);
  expect(await returnMessage(row)).toBe('Almost there.');
  expect(await returnReason(row)).toBe('Almost there.\n– Initials are not enough.');
  const other = await submitted();
  await decide(sam, other, NAME, 'returned', { reason: 'Initials are not enough.' });
  await performAction(sam, other.taskId, 'return');
  expect(await returnReason(await taskRow(ada, other.taskId))).toBe('Initials are not enough.');
});
