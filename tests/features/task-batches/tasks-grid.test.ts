import { expect, test } from 'vitest';
import { gridQueryOf } from '#features/base/grids/define.server.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { promiseTask } from '#features/tasks/task-reminders/promises.server.ts';
import { addTaskMessage } from '#features/tasks/task-messages/messages.server.ts';
import { markMessagesRead } from '#features/tasks/task-messages/reading.server.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { assignTask } from '#features/tasks/tasks/assigning.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { tasksGrid } from '#features/tasks/task-lists/tasks-grid.server.ts';
import { at } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { makeCast } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { ada, cleo, sam, tom, clientA } = await makeCast();

const titles = async (actor: Actor, parameters: Record<string, string>): Promise<string[]> => {
  const query = gridQueryOf(tasksGrid, tasksGrid.parameters.parse(parameters));
  return (await readGrid(tasksGrid, actor, query)).rows.map(({ label }) => label).toSorted();
};

const create = async (label: string): Promise<string> =>
  (await createTask(sam, { clientId: clientA, type: 'misc', label, steps: [{ required: false }] })).taskId;

test('each chip shows its tasks, and nobody those of another firm', async () => {
  await create('New');
  const late = await create('Late');
  await db().updateTable('tasks').set({ due_on: '2001-01-01' }).where('task_id', '=', late).execute();
  await performAction(ada, await create('Submitted'), 'submit');
  const returned = await create('Returned');
  await performAction(ada, returned, 'submit');
  await performAction(sam, returned, 'return', { reason: 'Page 2 is missing.' });
  const mine = await create('Mine');
  await assignTask(sam, mine, sam.contactId);
  expect(await titles(sam, { view: 'waiting' })).toEqual(['Submitted']);
  expect(await titles(sam, { view: 'overdue' })).toEqual(['Late']);
  expect(await titles(sam, { view: 'returned' })).toEqual(['Returned']);
  expect(await titles(sam, { view: 'new' })).toEqual(['Late', 'Mine', 'New']);
  expect(await titles(sam, { view: 'mine' })).toEqual(['Mine']);
  expect(await titles(sam, {})).toHaveLength(5);
  const accepted = await create('Accepted');
  await performAction(ada, accepted, 'submit');
  await performAction(sam, accepted, 'accept');
  expect(await titles(sam, { view: 'open' })).toEqual(['Late', 'Mine', 'New', 'Returned', 'Submitted']);
  expect(await titles(sam, { view: 'all' })).toContain('Accepted');
  await db().deleteFrom('tasks').where('task_id', '=', accepted).execute();
  expect(await titles(tom, {})).toEqual([]);
  const query = gridQueryOf(tasksGrid, tasksGrid.parameters.parse({ view: 'overdue' }));
  const [row] = (await readGrid(tasksGrid, sam, query)).rows;
  expect(row).toMatchObject({ settled: 0, steps: 0, isReturned: false });
  expect(row?.daysLate).toBeGreaterThan(9000);
});

test('a task shows the last date by which its client plans to finish, until it is submitted', async () => {
  const label = 'Promised';
  const taskId = await create(label);
  const promised = async () => {
    const query = gridQueryOf(tasksGrid, tasksGrid.parameters.parse({ searchTerm: label }));
    return (await readGrid(tasksGrid, sam, query)).rows.map(({ promisedOn }) => promisedOn);
  };
  expect(await promised()).toEqual([undefined]);
  await at(Date.UTC(2026, 2, 1), () => promiseTask(ada, taskId, '2026-03-20'));
  await at(Date.UTC(2026, 2, 2), () => promiseTask(cleo, taskId, '2026-03-25'));
  expect(await promised()).toEqual(['2026-03-25']);
  await performAction(ada, taskId, 'submit');
  expect(await promised()).toEqual([undefined]);
});

test('a task shows how many of its messages the reader of the table has not read', async () => {
  const label = 'Asked about';
  const taskId = await create(label);
  const unread = async (actor: Actor) => {
    const query = gridQueryOf(tasksGrid, tasksGrid.parameters.parse({ searchTerm: label }));
    return (await readGrid(tasksGrid, actor, query)).rows.map(({ unreadMessages }) => unreadMessages);
  };
  expect(await unread(sam)).toEqual([0]);
  await addTaskMessage(ada, taskId, { text: 'Which year?', isInternal: false });
  await addTaskMessage(cleo, taskId, { text: 'And which bank?', isInternal: false });
  expect(await unread(sam)).toEqual([2]);
  await markMessagesRead(sam, taskId);
  expect(await unread(sam)).toEqual([0]);
});

test('tasks are grouped by the person who is responsible', async () => {
  const query = gridQueryOf(tasksGrid, tasksGrid.parameters.parse({ group: 'responsible' }));
  const { groups } = await readGrid(tasksGrid, sam, query);
  expect(groups.map(({ key }) => key).toSorted()).toEqual(['', sam.contactId].toSorted());
});

test('somebody of another firm cannot be made responsible', async () => {
  const id = await create('Ours');
  const refused = (work: Promise<unknown>) => work.catch((error: unknown) => refusal(error)?.code);
  expect(await refused(assignTask(sam, id, tom.contactId))).toBe('NOT_FOUND');
  expect(await refused(assignTask(tom, id, null))).toBe('NOT_FOUND');
  expect(await refused(assignTask(ada, id, null))).toBe('FORBIDDEN');
});
