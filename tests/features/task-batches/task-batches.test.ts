import { expect, test } from 'vitest';
import { addTag } from '#features/clients/clients/changing-many.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import {
  batchOf,
  beginBatch,
  discardBatch,
  listRows,
  planOf,
  prepareChange,
  prepareCreation,
  recipientsOfBatch,
  stopBatch,
  undoBatch,
  type Recipients,
} from '#features/tasks/task-batches/batches.server.ts';
import { plannedForm, planTask, type PlannedTask } from '#features/tasks/task-batches/planning.server.ts';
import { newTasksForm } from '#features/tasks/task-batches/forms.server.ts';
import { runPart } from '#features/base/batches/running.server.ts';
import { remindedBy } from '#features/tasks/task-reminders/remind-now.server.ts';
import { starterNamed } from '#features/tasks/task-templates/starters.server.ts';
import { createTemplate, publishTemplate } from '#features/tasks/task-templates/templates.server.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { createTasks } from '#features/tasks/tasks/creating.server.ts';
import { taskOf, tasksOfClients } from '#features/tasks/tasks/reading.server.ts';
import { readOptions } from '#features/tasks/tasks/tasks.ts';
import { verifyTasks } from '#features/tasks/tasks/verification.server.ts';
import { db } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';
import { storeClient } from '../../support/store-client.ts';
import '../../../src/app.server.ts';

const { ada, sam, tom, firmOne, clientA, clientB } = await makeCast();
const hart = await person(firmOne, 'Eleanor Hart', 'hart@one.example', { role: 'owner' });

const code = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => refusal(error)?.code ?? String(error),
  );
const EVERYBODY: Recipients = { clientKind: '', tag: '', responsible: '', numbers: '' };
const plan = (
  actor: Actor,
  title: string,
  more: { content?: string; taxYear?: string } = {},
): Promise<PlannedTask> =>
  planTask(
    actor,
    {
      content: 'own',
      title,
      taxYear: '',
      message: '',
      items: [{ label: 'Bank statements', kind: 'files', isRequired: true }],
      dueDate: '',
      responsible: '',
      notify: true,
      ...more,
    },
    'en-us',
  );
const all = readOptions.parse({});

async function many(count: number, tag: string): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1)
    ids.push(await storeClient(firmOne, { name: `${tag} ${at}`, code: `${tag}-${at}` }));
  await addTag(hart, ids, tag);
  return ids;
}

test('a batch creates the task for all clients with a tag, and its undo deletes those on which nobody has worked', async () => {
  const ids = await many(60, 'monthly');
  const batchId = await prepareCreation(
    hart,
    { ...EVERYBODY, tag: 'monthly' },
    await plan(hart, 'Monthly papers'),
  );
  expect(await batchOf(hart, batchId, 'en-us')).toMatchObject({
    state: 'ready',
    total: 60,
    counts: { waiting: 60 },
  });
  const recipients = await recipientsOfBatch(hart, batchId);
  expect(recipients?.map(({ unreached }) => unreached)).toEqual(
    Array.from({ length: 60 }, () => 'no-contact'),
  );
  expect(await tasksOfClients(hart, ids, all)).toEqual([]);
  await beginBatch(hart, batchId);
  expect(await code(beginBatch(hart, batchId))).toBe('STALE');
  await runDueJobs();
  expect(await batchOf(hart, batchId, 'en-us')).toMatchObject({
    state: 'done',
    counts: { done: 60, waiting: 0 },
  });
  const tasks = await tasksOfClients(hart, ids, all);
  expect(tasks).toHaveLength(60);
  expect(new Set(tasks.map(({ clientId }) => clientId)).size).toBe(60);
  expect(tasks.every(({ sendNotification }) => sendNotification)).toBe(true);

  const [touched] = tasks;
  await performAction(hart, touched!.taskId, 'cancel');
  await undoBatch(hart, batchId);
  await runDueJobs();
  expect(await batchOf(hart, batchId, 'en-us')).toMatchObject({
    state: 'undone',
    counts: { undone: 59, kept: 1 },
  });
  expect((await tasksOfClients(hart, ids, all)).map(({ taskId }) => taskId)).toEqual([touched!.taskId]);
  expect(await verifyTasks()).toEqual([]);
});

test('what a batch creates, for whom and with which email is known before it begins', async () => {
  const batchId = await prepareCreation(sam, { ...EVERYBODY, numbers: 'A-1' }, await plan(sam, 'For Amber'));
  expect(await batchOf(sam, batchId, 'en-us')).toMatchObject({
    title: 'For Amber',
    clients: 1,
    client: 'Amber Bakery',
  });
  const planned = await planOf(sam, batchId);
  expect(plannedForm(planned!)?.sections[0]?.items).toMatchObject([
    { label: { 'en-us': 'Bank statements' } },
  ]);
  const { rows } = await listRows(sam, batchId, { show: 'all', from: 0 }, 'en-us');
  expect(rows[0]?.contacts).toContain('Ada Amber');
  expect(await code(planOf(tom, batchId))).toBe('NOT_FOUND');
  await beginBatch(sam, batchId);
  const { rows: done } = await listRows(sam, batchId, { show: 'all', from: 0 }, 'en-us');
  expect(done[0]?.contacts, 'afterwards, the emails are listed with the task').toEqual([]);
});

test('the form for many clients starts with no client chosen, and needs a choice', async () => {
  const { schema } = newTasksForm;
  const values = {
    clientKind: '',
    tag: '',
    clientResponsible: '',
    numbers: '',
    content: 'own',
    title: 'Papers',
    taxYear: '',
    message: '',
    items: [{ label: 'Bank statements', kind: 'files', isRequired: true }],
    dueDate: '',
    responsible: '',
    notify: true,
  };
  const problems = (given: object): string[] =>
    (schema.safeParse({ ...values, ...given }).error?.issues ?? []).map(({ path }) => path.join('.'));
  expect(problems({})).toEqual(['clientKind']);
  for (const chosen of [{ clientKind: 'all' }, { tag: 'monthly' }, { numbers: 'A-1' }])
    expect(problems(chosen)).toEqual([]);
});

test('clients that have the task of this template and year are left out', async () => {
  const content = { content: 'starter-us-1040', taxYear: '2025' };
  const numbers = { ...EVERYBODY, numbers: 'A-1' };
  const first = await prepareCreation(sam, numbers, await plan(sam, '', content));
  await beginBatch(sam, first);
  const both = { ...EVERYBODY, numbers: 'a-1, B-2' };
  const second = await prepareCreation(sam, both, await plan(sam, '', content));
  expect(await batchOf(sam, second, 'en-us')).toMatchObject({ total: 2, counts: { waiting: 1, skipped: 1 } });
  await beginBatch(sam, second);
  const { rows } = await listRows(sam, second, { show: 'problems', from: 0 }, 'en-us');
  expect(rows).toMatchObject([{ clientId: clientA, problem: 'HAS_ONE' }]);
  const next = await prepareCreation(sam, both, await plan(sam, '', { ...content, taxYear: '2026' }));
  expect(await batchOf(sam, next, 'en-us')).toMatchObject({ counts: { waiting: 2 } });
  const tasks = await tasksOfClients(sam, [clientB], all);
  expect(tasks).toMatchObject([{ type: 'questionnaire', params: { kind: 'us-1040', taxYear: 2025 } }]);
});

test('numbers of no client, a choice without a client and a missing year are refused', async () => {
  const own = await plan(sam, 'Papers');
  expect(await code(prepareCreation(sam, { ...EVERYBODY, numbers: 'A-1 Z-9' }, own))).toBe('BAD_NAME');
  expect(await code(prepareCreation(sam, { ...EVERYBODY, tag: 'none' }, own))).toBe('EMPTY');
  const { taxYear: _, ...form } = (await starterNamed('starter-us-1040'))!.form;
  const content = await createTemplate(sam, { name: 'Without a year', form });
  await publishTemplate(sam, content, 1);
  expect(await code(plan(sam, '', { content }))).toBe('INVALID');
  expect(await code(plan(sam, '', { content: 'tasktemplate_of_nobody' }))).toBe('NOT_FOUND');
  const review = await createTemplate(sam, { name: 'A review', type: 'document_review', form });
  await publishTemplate(sam, review, 1);
  expect(await code(plan(sam, '', { content: review, taxYear: '2026' }))).toBe('NOT_FOUND');
});

test('a batch belongs to who prepared it', async () => {
  const batchId = await prepareCreation(sam, { ...EVERYBODY, numbers: 'A-1' }, await plan(sam, 'Mine'));
  for (const verb of [
    () => batchOf(tom, batchId, 'en-us'),
    () => batchOf(hart, batchId, 'en-us'),
    () => beginBatch(tom, batchId),
    () => stopBatch(tom, batchId),
    () => undoBatch(tom, batchId),
    () => discardBatch(tom, batchId),
    () => listRows(tom, batchId, { show: 'all', from: 0 }, 'en-us'),
  ])
    expect(await code(verb())).toBe('NOT_FOUND');
  expect(await code(batchOf(ada, batchId, 'en-us'))).toBe('FORBIDDEN');
  expect(await code(prepareCreation(ada, EVERYBODY, await plan(sam, 'Mine')))).toBe('FORBIDDEN');
  await discardBatch(sam, batchId);
  expect(await code(batchOf(sam, batchId, 'en-us'))).toBe('NOT_FOUND');
});

test('a batch that is stopped goes on where it was, and a part that runs twice changes nothing twice', async () => {
  const ids = await many(60, 'stopped');
  const batchId = await prepareCreation(hart, { ...EVERYBODY, tag: 'stopped' }, await plan(hart, 'Stopped'));
  await beginBatch(hart, batchId);
  const first = { batchId, state: 'running', position: 0 };
  await runPart(first);
  await runPart(first);
  expect(await tasksOfClients(hart, ids, all)).toHaveLength(50);
  await stopBatch(hart, batchId);
  await runDueJobs();
  expect(await batchOf(hart, batchId, 'en-us')).toMatchObject({
    state: 'stopped',
    counts: { done: 50, waiting: 10 },
  });
  await beginBatch(hart, batchId);
  await runDueJobs();
  expect(await batchOf(hart, batchId, 'en-us')).toMatchObject({ state: 'done', counts: { done: 60 } });
  expect(await tasksOfClients(hart, ids, all)).toHaveLength(60);
});

test('a batch stops when who began it may no longer create tasks, and clients that are gone fail alone', async () => {
  await many(30, 'revoked');
  const grace = await person(firmOne, 'Grace Gold', 'grace@one.example', { role: 'member' });
  const batchId = await prepareCreation(
    grace,
    { ...EVERYBODY, tag: 'revoked' },
    await plan(grace, 'Revoked'),
  );
  await beginBatch(grace, batchId);
  await db().updateTable('clients').set({ archived_at: 1 }).where('code', '=', 'revoked-3').execute();
  await runDueJobs();
  expect(await batchOf(grace, batchId, 'en-us')).toMatchObject({ counts: { done: 29, failed: 1 } });

  const second = await prepareCreation(grace, { ...EVERYBODY, tag: 'revoked' }, await plan(grace, 'Again'));
  await beginBatch(grace, second);
  const { all_clients: before } = await db()
    .selectFrom('contacts')
    .select('all_clients')
    .where('contact_id', '=', grace.contactId)
    .executeTakeFirstOrThrow();
  expect(before).toBe(1);
  await db()
    .updateTable('contacts')
    .set({ suspended_at: 1 })
    .where('contact_id', '=', grace.contactId)
    .execute();
  await runDueJobs();
  const { state } = await db()
    .selectFrom('batches')
    .select('state')
    .where('batch_id', '=', second)
    .executeTakeFirstOrThrow();
  expect(state).toBe('stopped');
});

async function tasksWith(actor: Actor, title: string, count: number): Promise<string[]> {
  const tag = title.toLowerCase();
  const ids = await many(count, tag);
  const batchId = await prepareCreation(actor, { ...EVERYBODY, tag }, await plan(actor, title));
  await beginBatch(actor, batchId);
  await runDueJobs();
  return (await tasksOfClients(actor, ids, all)).map(({ taskId }) => taskId);
}

test('a change says which tasks it cannot touch, and changes the others', async () => {
  const ids = await tasksWith(hart, 'Changed', 5);
  await performAction(hart, ids[0]!, 'cancel');
  const cancelling = await prepareChange(hart, 'cancel', ids);
  expect(await batchOf(hart, cancelling, 'en-us')).toMatchObject({ counts: { waiting: 4, skipped: 1 } });
  await beginBatch(hart, cancelling);
  expect(await batchOf(hart, cancelling, 'en-us')).toMatchObject({
    state: 'done',
    counts: { done: 4, skipped: 1 },
  });
  expect(await code(undoBatch(hart, cancelling))).toBe('NOT_POSSIBLE');
  const accepting = await prepareChange(hart, 'accept', ids);
  expect(await batchOf(hart, accepting, 'en-us')).toMatchObject({ counts: { waiting: 0, skipped: 5 } });
  const reopening = await prepareChange(hart, 'reopen', ids);
  await beginBatch(hart, reopening);
  expect((await taskOf(hart, ids[1]!)).status).toBe('WIP');
  expect(await code(prepareChange(tom, 'cancel', ids))).toBe('EMPTY');
  expect(await code(prepareChange(ada, 'cancel', ids))).toBe('FORBIDDEN');
});

test('tasks are returned with one reason and accepted together', async () => {
  const batch = await prepareCreation(
    sam,
    { ...EVERYBODY, numbers: 'A-1' },
    { task: { type: 'misc', label: 'Bulk' }, creation: {} },
  );
  await beginBatch(sam, batch);
  const [{ taskId } = { taskId: '' }] = (await listRows(sam, batch, { show: 'all', from: 0 }, 'en-us')).rows;
  await performAction(ada, taskId, 'submit');
  const returning = await prepareChange(sam, 'return', [taskId]);
  expect(await code(beginBatch(sam, returning))).toBe('EMPTY');
  await beginBatch(sam, returning, { reason: 'Page 2 is missing.' });
  expect((await taskOf(sam, taskId)).status).toBe('WIP');
  await performAction(ada, taskId, 'submit');
  await beginBatch(sam, await prepareChange(sam, 'accept', [taskId]));
  expect((await taskOf(sam, taskId)).status).toBe('Done');
});

test('contacts are reminded of many tasks in one mail, and not again on the same day', async () => {
  const mine = await Promise.all(
    ['One', 'Two', 'Three'].map((label) => createTasks(sam, [clientA], { type: 'misc', label })),
  );
  const ids = mine.flat().map(String);
  const remind = async (taskIds: string[]) => {
    const batch = await prepareChange(sam, 'remind', taskIds);
    await beginBatch(sam, batch);
    return (await listRows(sam, batch, { show: 'all', from: 0 }, 'en-us')).rows.map(({ state, problem }) =>
      [state, problem].join(' '),
    );
  };
  const named = await remindedBy(sam, ids);
  expect(named).toEqual({ names: ['Ada Amber', expect.stringContaining('Cleo')], tasks: 3 });
  const whoIsTold = async () => recipientsOfBatch(sam, await prepareChange(sam, 'remind', ids));
  expect(await whoIsTold()).toMatchObject([{ clientId: clientA, names: named.names }]);
  expect(await remind(ids)).toEqual(['done ', 'done ', 'done ']);
  expect(await whoIsTold(), 'the review says why nobody will be').toMatchObject([
    { clientId: clientA, names: [], unreached: 'recent' },
  ]);
  expect(await remindedBy(sam, ids), 'they were just reminded').toEqual({ names: [], tasks: 0 });
  expect(await remind(ids)).toEqual(['failed TOO_SOON', 'failed TOO_SOON', 'failed TOO_SOON']);
  const digests = await db().selectFrom('task_digests').select('mail_id').execute();
  expect(digests).toHaveLength(2); // of Ada and Cleo
  await performAction(sam, ids[0]!, 'cancel', { reason: 'Not needed' });
  expect(await remind(ids.slice(0, 2))).toContain('skipped STATUS');
});

test('nobody is reminded of the tasks of a client without a contact', async () => {
  const batch = await prepareChange(hart, 'remind', (await tasksWith(hart, 'Reminded', 25)).slice(0, 2));
  const unreached = (await recipientsOfBatch(hart, batch))?.map((client) => client.unreached);
  expect(new Set(unreached)).toEqual(new Set(['no-contact']));
  await beginBatch(hart, batch);
  expect((await listRows(hart, batch, { show: 'all', from: 0 }, 'en-us')).rows).toMatchObject([
    { state: 'failed', problem: 'NO_CONTACT' },
    { state: 'failed', problem: 'NO_CONTACT' },
  ]);
});

test('due dates, responsible staff and deletions of many tasks are undone', async () => {
  const ids = await tasksWith(hart, 'Undone', 25);
  const rescheduling = await prepareChange(hart, 'reschedule', ids);
  expect(await code(beginBatch(hart, rescheduling, { dueDate: '2001-01-01' }))).toBe('INVALID');
  await beginBatch(hart, rescheduling, { dueDate: '2999-01-01' });
  await runDueJobs();
  expect((await taskOf(hart, ids[0]!)).dueDate).toBe('2999-01-01');
  await undoBatch(hart, rescheduling);
  await runDueJobs();
  expect(await batchOf(hart, rescheduling, 'en-us')).toMatchObject({
    state: 'undone',
    counts: { undone: 25 },
  });
  expect((await taskOf(hart, ids[0]!)).dueDate).toBeNull();

  const assigning = await prepareChange(hart, 'assign', ids.slice(0, 3));
  expect(await code(beginBatch(hart, assigning, { responsible: tom.contactId }))).toBe('NOT_FOUND');
  await beginBatch(hart, assigning, { responsible: sam.contactId });
  const responsible = async () =>
    (
      await db()
        .selectFrom('tasks')
        .select('responsible')
        .where('task_id', '=', ids[0]!)
        .executeTakeFirstOrThrow()
    ).responsible;
  expect(await responsible()).toBe(sam.contactId);
  await undoBatch(hart, assigning);
  expect(await responsible()).toBeNull();

  const deleting = await prepareChange(hart, 'delete', ids);
  await beginBatch(hart, deleting);
  await runDueJobs();
  expect(await code(taskOf(hart, ids[0]!))).toBe('NOT_FOUND');
  await undoBatch(hart, deleting);
  await runDueJobs();
  expect(await taskOf(hart, ids[0]!)).toMatchObject({ deleted: false });
  expect(await verifyTasks()).toEqual([]);
});
