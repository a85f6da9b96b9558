import { expect, test } from 'vitest';
import type { Actor } from '#features/base/people/people.ts';
import { decideAccess, actorOf } from '#features/base/people/people.server.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { compareTasks, nextTask, ukTaxYear } from '#features/tasks/tasks/rules.ts';
import type { NewTask, Task, TaskGroup } from '#features/tasks/tasks/tasks.ts';
import { placeOfTask } from '#features/tasks/task-page/task-page.server.ts';
import { openTasksOfClient } from '#features/tasks/task-lists/tasks-grid.server.ts';
import { taskTitle } from '#features/tasks/tasks/titles.server.ts';
import { verifyTasks } from '#features/tasks/tasks/verification.server.ts';
import { at, DAY, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { apiAs } from '../../support/api.ts';
import { client, makeCast } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { ada, ben, cleo, sam, tom, zoe, firmOne, clientA, clientB } = await makeCast();

const BASE = '/api/client-center/v3/tasks';
const create = (input: Partial<NewTask> = {}): Promise<Task> =>
  createTask(sam, { clientId: clientA, type: 'misc', label: 'Papers', ...input });
const send = async <T>(actor: Actor, method: string, path: string, json?: object) => {
  const answer = await apiAs(actor)(method, `${BASE}${path}`, json === undefined ? {} : { json });
  return { status: answer.status, ...((await answer.json()) as { data: T; errors: { code: string }[] }) };
};
const patch = (actor: Actor, task: Task, json: object) => send<Task>(actor, 'PATCH', `/${task.taskId}`, json);

test('a task is created with its steps in a group of its own, and a second one joins that group', async () => {
  const first = await send<Task>(sam, 'POST', '', {
    clientId: clientA,
    type: 'DOCUMENT_REQUEST',
    label: 'Document Request',
    dueDate: '2030-01-31',
    params: { kind: 'upload', taxYear: 2029 },
    data: { note: 'n' },
    steps: [{ required: true, comment: 'Please' }, { dnaComment: 'None this year' }],
  });
  expect(first.data).toMatchObject({
    type: 'document_request',
    status: 'New',
    order: 1,
    params: { kind: 'upload', taxYear: 2029 },
    data: { note: 'n' },
    steps: [
      { number: 1, required: true, settled: false, comment: 'Please' },
      { number: 2, settled: true, dnaComment: 'None this year' },
    ],
  });
  const group = { taskGroupId: first.data.taskGroupId, clientId: clientA, label: 'Second' };
  expect((await send(sam, 'POST', '', { ...group, type: 'document_request' })).status).toBe(200);
  expect((await send(sam, 'POST', '', { ...group, type: 'esign' })).status).toBe(422);
  expect(
    (await send(sam, 'POST', '', { ...group, clientId: clientB, type: 'document_request' })).status,
  ).toBe(422);
  const read = await send<TaskGroup>(ada, 'GET', `/groups/${first.data.taskGroupId}`);
  expect(read.data.tasks).toHaveLength(2);
});

test('an unknown type, status or option is refused', async () => {
  expect((await send(sam, 'POST', '', { clientId: clientA, type: 'chore' })).status).toBe(422);
  const task = await create();
  expect((await patch(ada, task, { status: 'FINISHED' })).status).toBe(422);
  expect((await send(ada, 'GET', `/clients/${clientA}?taskStatuses=NEW,LATER`)).status).toBe(422);
});

test('a status stands for what the side may do, and the answer has the real status', async () => {
  const task = await create();
  expect((await patch(ada, task, { status: 'WIP' })).data.status).toBe('WIP');
  expect((await patch(ada, task, { status: 'DONE' })).data.status).toBe('Received');
  expect((await patch(ada, task, { status: 1 })).data.status).toBe('WIP');
  expect((await patch(ada, task, { status: 'RECEIVED' })).data.status).toBe('Received');
  expect((await patch(sam, task, { status: 'DONE' })).data.status).toBe('Done');
  const closed = await patch(ada, task, { comment: 'Too late' });
  expect([closed.status, closed.errors[0]]).toMatchObject([409, { code: 'CLOSED', possible: [] }]);
  expect((await patch(sam, task, { status: 'WIP' })).data.status).toBe('WIP');
  const cancelled = await patch(ada, task, {
    status: 'CANCELLED',
    doesNotApplyComment: 'We closed the shop.',
  });
  expect(cancelled.data).toMatchObject({ status: 'Cancelled', doesNotApplyComment: 'We closed the shop.' });
  expect((await patch(ada, await create(), { status: 'CANCELLED' })).errors[0]?.code).toBe('EMPTY');
});

test('data is merged or replaced, a comment is cleared by an empty text, and the label never changes', async () => {
  const task = await create({ data: { a: 1, b: 2 } });
  const merged = await patch(ada, task, { data: { b: 3 }, comment: 'Look', label: 'Other' });
  expect(merged.data).toMatchObject({
    data: { a: 1, b: 3 },
    comment: 'Look',
    label: 'Papers',
    status: 'WIP',
  });
  const replaced = await patch(ada, task, { data: { c: 1 }, replace: true, comment: '' });
  expect(replaced.data).toMatchObject({ data: { c: 1 }, comment: '' });
  let deep: object = {};
  for (let i = 0; i < 20; i += 1) deep = { deep };
  expect((await patch(ada, task, { data: deep })).status).toBe(422);
  expect((await patch(ada, task, { data: { text: 'x'.repeat(70_000) } })).status).toBe(422);
});

test('before the client submits, the firm reads by every call only what it stored itself', async () => {
  const task = await create({ data: { asked: 'hours' }, steps: [{ data: { week: 1 } }, {}] });
  await patch(ada, task, { data: { ssn: '219-09-9999', asked: 'typed over' }, comment: 'half' });
  await send(ada, 'PATCH', `/${task.taskId}/steps/1`, { data: { hours: 8 }, comment: 'half' });
  await patch(sam, task, { data: { hint: 'by Friday' } });
  const readByAll = async (actor: Actor) => {
    const query = '?data=true&steps=true&taskDetails=true';
    const get = async <T>(path: string): Promise<T> => (await send<T>(actor, 'GET', `${path}${query}`)).data;
    const one = await get<Task>(`/${task.taskId}`);
    const many = await get<Task[]>(`/clients/${task.clientId}`);
    const group = await get<{ tasks: Task[] }>(`/groups/${task.taskGroupId}`);
    const groups = await get<{ tasks: Task[] }[]>(`/groups/clients/${task.clientId}`);
    const stale = await patch(actor, task, { comment: 'x', version: 1 });
    const isIt = (each: Task): boolean => each.taskId === task.taskId;
    return [
      one,
      many.find(isIt),
      group.tasks.find(isIt),
      groups.flatMap(({ tasks }) => tasks).find(isIt),
      (stale.errors[0] as unknown as { current: Task }).current,
    ].map((each) => [each?.data, each?.steps?.map(({ data }) => data), each?.comment]);
  };
  const five = <T>(what: T): T[] => Array.from({ length: 5 }, () => what);
  const all = { asked: 'typed over', ssn: '219-09-9999', hint: 'by Friday' };
  expect(await readByAll(sam)).toEqual(five([{ asked: 'hours', hint: 'by Friday' }, [{ week: 1 }, {}], '']));
  expect(await readByAll(ada)).toEqual(five([all, [{ week: 1, hours: 8 }, {}], 'half']));
  await patch(sam, task, { status: 'CANCELLED' });
  expect((await readByAll(sam))[0], 'what the firm cancels was not submitted either').toEqual([
    { asked: 'hours', hint: 'by Friday' },
    [{ week: 1 }, {}],
    '',
  ]);
  await patch(sam, task, { status: 'WIP' });
  await patch(ada, task, { status: 'DONE' });
  expect((await readByAll(sam))[0]).toEqual([all, [{ week: 1, hours: 8 }, {}], 'half']);
});

test('what is in an older task is for the firm until the client begins, then once it is submitted', async () => {
  const task = await create({ data: { asked: 'hours' }, steps: [{ data: { week: 1 } }] });
  await db().updateTable('tasks').set({ firm_data: null }).where('task_id', '=', task.taskId).execute();
  await db().updateTable('task_steps').set({ firm_data: null }).where('task_id', '=', task.taskId).execute();
  const read = async () => {
    const { data } = await send<Task>(sam, 'GET', `/${task.taskId}?data=true&steps=true`);
    return [data.data, data.steps?.[0]?.data];
  };
  expect(await read()).toEqual([{ asked: 'hours' }, { week: 1 }]);
  await patch(ada, task, { status: 'WIP' });
  expect(await read()).toEqual([{}, {}]);
  await patch(ada, task, { status: 'DONE' });
  expect(await read()).toEqual([{ asked: 'hours' }, { week: 1 }]);
});

test('a stale change is refused with the current task, and changes nothing', async () => {
  const task = await create();
  const first = await patch(ada, task, { comment: 'One', version: task.version });
  const stale = await patch(cleo, task, { comment: 'Two', version: task.version });
  expect([stale.status, stale.errors[0]]).toMatchObject([
    409,
    { code: 'EDIT_CONFLICT', current: { comment: 'One', version: first.data.version } },
  ]);
  expect((await patch(cleo, task, { comment: 'Two', version: first.data.version })).data.comment).toBe('Two');
});

test('a step is saved, does not apply, and applies again; required ones prevent the submission', async () => {
  const task = await create({ steps: [{ required: true }, {}] });
  const open = await patch(ada, task, { status: 'DONE' });
  expect(open.errors[0]).toMatchObject({ code: 'INCOMPLETE', steps: [1] });
  const step = (json: object) => send<Task>(ada, 'PATCH', `/${task.taskId}/steps/1`, json);
  expect((await step({ dnaComment: 'No staff' })).data.steps?.[0]).toMatchObject({ settled: true });
  expect((await step({ dnaComment: '' })).data.steps?.[0]).toMatchObject({ settled: false, dnaComment: '' });
  expect((await step({ data: { files: 2 }, comment: 'Both' })).data.steps?.[0]).toMatchObject({
    settled: true,
    data: { files: 2 },
    comment: 'Both',
  });
  expect((await send(ada, 'PATCH', `/${task.taskId}/steps/3`, { comment: 'x' })).status).toBe(404);
  expect((await patch(ada, task, { status: 'DONE' })).data.status).toBe('Received');
});

test('a submission runs the triggers of the firm in one transaction, once', async () => {
  const other = await create({ label: 'Earlier' });
  await performAction(ada, other.taskId, 'submit');
  const task = await create({
    triggers: { create: [{ type: 'misc', label: 'Follow-up' }], update: [{ taskId: other.taskId }] },
  });
  expect((await patch(ada, task, { status: 'DONE', triggers: { create: [], update: [] } })).data.status).toBe(
    'Received',
  );
  const { data: group } = await send<TaskGroup>(ada, 'GET', `/groups/${task.taskGroupId}?taskDetails=true`);
  expect(group.tasks).toMatchObject([
    { label: 'Papers' },
    { label: 'Follow-up', order: 2, status: 'New', sendNotification: false },
  ]);
  expect((await send<Task>(ada, 'GET', `/${other.taskId}`)).data.status).toBe('WIP');
  await performAction(ada, task.taskId, 'take-back');
  await performAction(ada, task.taskId, 'submit');
  const again = await send<TaskGroup>(ada, 'GET', `/groups/${task.taskGroupId}`);
  expect(again.data.tasks).toHaveLength(2);
});

test('a trigger for a task of another client undoes the whole submission', async () => {
  const foreign = await createTask(sam, { clientId: clientB, type: 'misc' });
  const task = await create({
    triggers: { create: [{ type: 'misc', label: 'Follow-up' }], update: [{ taskId: foreign.taskId }] },
  });
  const answer = await patch(ada, task, { status: 'DONE' });
  expect([answer.status, answer.errors[0]?.code]).toEqual([422, 'INVALID']);
  const { data: group } = await send<TaskGroup>(ada, 'GET', `/groups/${task.taskGroupId}?taskDetails=true`);
  expect(group.tasks).toMatchObject([{ status: 'New' }]);
  expect(group.tasks).toHaveLength(1);
});

test('tasks under a task are created all or none, with all messages', async () => {
  const task = await create();
  const wrong = await send(sam, 'POST', `/${task.taskId}/tasks`, [
    { type: 'misc' },
    { type: 'no' },
    { label: 1 },
  ] as never);
  expect(wrong.status).toBe(422);
  expect((wrong.errors[0] as { message?: string }).message).toMatch(/^1\.type: .+\. 2\./);
  const right = await send<Task[]>(sam, 'POST', `/${task.taskId}/tasks`, [
    { type: 'misc' },
    { type: 'misc' },
  ] as never);
  expect(right.data.map(({ order, sendNotification }) => [order, sendNotification])).toEqual([
    [2, false],
    [2, false],
  ]);
});

test('an expired task can only be rescheduled by the firm', async () => {
  const task = await create({ expirationDate: new Date(now() + DAY).toISOString().slice(0, 10) });
  await at(now() + 5 * DAY, async () => {
    expect((await patch(ada, task, { status: 'WIP' })).errors[0]?.code).toBe('EXPIRED');
    const later = new Date(now() + 9 * DAY).toISOString().slice(0, 10);
    expect((await patch(sam, task, { expirationDate: '2020-01-01' })).status).toBe(422);
    expect((await patch(sam, task, { expirationDate: later })).data.expirationDate).toBe(later);
    expect((await patch(ada, task, { status: 'WIP' })).data.status).toBe('WIP');
  });
});

test('tasks of several clients come in their order, groups by due date, and each only to those who act for the client', async () => {
  const early = await createTask(sam, { clientId: clientB, type: 'misc', label: 'b', dueDate: '2031-01-01' });
  const late = await createTask(sam, { clientId: clientB, type: 'misc', label: 'A', dueDate: '2032-01-01' });
  const both = await send<Task[]>(cleo, 'GET', `/clients/${clientA},${clientB}?taskStatuses=NEW`);
  expect(both.data.map(({ clientId }) => clientId)).toContain(clientA);
  expect(both.data.findIndex(({ taskId }) => taskId === early.taskId)).toBeLessThan(
    both.data.findIndex(({ taskId }) => taskId === late.taskId),
  );
  expect((await send(ben, 'GET', `/clients/${clientA},${clientB}`)).status).toBe(404);
  expect((await send(zoe, 'GET', `/${early.taskId}`)).status).toBe(404);
  const paged = await send<TaskGroup[]>(ben, 'GET', `/groups?pageNum=0&pageSize=1&taskGroupStatuses=NEW,WIP`);
  expect(paged.data).toHaveLength(1);
});

test('a task that is known by its id alone is found on the page of who may see it, and a foreign id is as unknown', async () => {
  const { taskId } = await create();
  expect(await placeOfTask(ada, taskId)).toEqual({
    page: `tasks/clients/${clientA}/task/${taskId}`,
    query: { client: clientA },
  });
  expect(await placeOfTask(sam, taskId)).toEqual({ page: `staff/tasks/${taskId}`, query: {} });
  for (const actor of [ben, zoe, tom]) await expect(placeOfTask(actor, taskId)).rejects.toEqual(notFound());
  await expect(placeOfTask(ada, 'task_1')).rejects.toEqual(notFound());
});

test('the page of a client lists its unfinished tasks by due date', async () => {
  const clientId = await client(firmOne, 'Cedar Cars', 'C-3', [ada]);
  const due = async (label: string, dueDate?: string): Promise<string> =>
    (await create({ clientId, label, ...(dueDate && { dueDate }) })).taskId;
  await due('no date');
  const sent = await due('sent', '2031-02-01');
  const canceled = await due('canceled', '2031-01-01');
  for (let month = 3; month <= 6; month += 1) await due(`month ${month}`, `2031-0${month}-01`);
  await performAction(ada, sent, 'submit');
  await performAction(sam, canceled, 'cancel');
  const labels = async (actor: Actor): Promise<string[]> =>
    (await openTasksOfClient(actor, clientId)).map(({ label }) => label);
  expect(await labels(sam)).toEqual(['sent', 'month 3', 'month 4', 'month 5', 'month 6']);
  expect(await labels(zoe)).toEqual([]);
});

test('types that are hidden from a contact are missing, and without tasks the lists are empty', async () => {
  const task = await createTask(
    sam,
    { clientId: clientB, type: 'esign', label: 'Letter' },
    { isPrepared: true },
  );
  await decideAccess(firmOne, ben.contactId, { kind: 'control', name: 'HideEsignTask' }, true);
  const restricted = await actorOf(ben.contactId);
  expect((await send(restricted, 'GET', `/${task.taskId}`)).status).toBe(404);
  await decideAccess(firmOne, ben.contactId, { kind: 'control', name: 'HideTasks' }, true);
  const without = await actorOf(ben.contactId);
  expect((await send<Task[]>(without, 'GET', `/clients/${clientB}`)).data).toEqual([]);
  await db().deleteFrom('access_settings').where('contact_id', '=', ben.contactId).execute();
});

test('a deleted task can be restored, unless it is removed for good; a submitted one is part of the records', async () => {
  const [task, submitted] = [await create(), await create()];
  expect((await send(sam, 'DELETE', `/${task.taskId}`)).status).toBe(200);
  expect((await send(ada, 'GET', `/${task.taskId}`)).status).toBe(404);
  expect((await send<Task>(sam, 'GET', `/${task.taskId}?deleted=true`)).data.deleted).toBe(true);
  expect((await performAction(sam, task.taskId, 'restore')).deleted).toBe(false);
  expect((await send(sam, 'DELETE', `/${task.taskId}?delete=true`)).status).toBe(200);
  expect((await send(sam, 'GET', `/${task.taskId}?deleted=true`)).status).toBe(404);
  await performAction(ada, submitted.taskId, 'submit');
  expect((await send(sam, 'DELETE', `/${submitted.taskId}?delete=true`)).status).toBe(409);
  expect(await verifyTasks()).toEqual([]);
});

test('tasks are ordered by order, due date, label and id', () => {
  const task = (taskId: string, order: number, dueDate: string | null, label: string) => ({
    taskId,
    order,
    dueDate,
    label,
  });
  const sorted = [
    task('1', 1, '2026-01-01', 'z'),
    task('2', 1, '2026-02-01', 'a'),
    task('3', 1, '2026-02-01', 'B'),
    task('4', 1, null, 'a'),
    task('5', 1, null, 'A'),
    task('6', 2, '2025-01-01', 'a'),
  ];
  expect(sorted.toReversed().toSorted(compareTasks)).toEqual(sorted);
});

test('the next task is the next pending one of the group, else its first, else the first of all', () => {
  const task = (taskId: string, groupId: string, status: Task['status']) => ({ taskId, groupId, status });
  const tasks = [
    task('a1', 'a', 'New'),
    task('a2', 'a', 'Done'),
    task('a3', 'a', 'WIP'),
    task('b1', 'b', 'Received'),
    task('c1', 'c', 'Cancelled'),
    task('c2', 'c', 'Done'),
  ];
  const after = (taskId: string, groupId: string, isGroupList = false) =>
    nextTask(tasks, { taskId, groupId }, { isGroupList })?.taskId;
  expect([after('a2', 'a'), after('a3', 'a'), after('b1', 'b'), after('c1', 'c')]).toEqual([
    'a3',
    'a1',
    'a1',
    'a1',
  ]);
  expect([after('a3', 'a', true), after('c2', 'c', true)]).toEqual(['a1', 'c1']);
});

test('titles are translated where they are known, and have their year', () => {
  const title = (label: string, taxYear: number | null = null, kind = '') =>
    taskTitle('fr', { type: 'questionnaire', kind, label, taxYear });
  expect([ukTaxYear(2024), ukTaxYear(2000)]).toEqual(['2023/24', '1999/00']);
  expect([
    title('Document Request'),
    title('Payment Request - Invoice #A7'),
    title('', 2026),
    title('Ma demande', 2024, 'uk-personal'),
    title('Renseignements 2023/24', 2024, 'uk-personal'),
  ]).toEqual([
    'Demande de documents',
    'Facture A7',
    'Questionnaire fiscal 2026',
    '2023/24 Ma demande',
    'Renseignements 2023/24',
  ]);
});
