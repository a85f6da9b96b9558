import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { releaseJobs, rowsIn } from './support/database.ts';
import { Person } from './support/person.ts';
import { Portal } from './support/portal.ts';
import { copyToMemory } from './support/world.ts';

/** Submissions at the same time. */
const SUBMISSIONS = 12;

test('tasks for many clients that a kill interrupts are created once for each client', async () => {
  const portal = await Portal.start({ folder: copyToMemory(inject('world')) });
  const file = path.join(portal.start.folder, 'data/portal.db');
  const hart = await new Person(portal.origin, 'hart@maplehart.example').arrive();
  const prepared = await hart.form('/clientcenter/en-us/staff/tasks/new?for=many', {
    form: 'new-tasks',
    clientKind: 'all',
    tag: '',
    clientResponsible: '',
    numbers: '',
    content: 'starter-us-year-end',
    title: '',
    taxYear: '2026',
    message: '',
    'items.count': '1',
    'items[0].label': '',
    'items[0].kind': 'files',
    dueDate: '',
    responsible: '',
    notify: 'on',
  });
  expect(prepared.status, /error-summary.*?<\/div>/s.exec(prepared.body.toString())?.[0]).toBe(303);
  const page = prepared.headers.get('location') ?? '';
  const id = /\/batches\/([\w-]+)/.exec(page)?.[1] ?? '';
  const total = countOf(file, `task_batch_rows where batch_id = '${id}'`);
  expect(total, 'many clients are chosen').toBeGreaterThan(20);
  await hart.form(page, { act: 'begin' });
  const done = `task_batch_rows where batch_id = '${id}' and state = 'done'`;
  await expect.poll(() => countOf(file, done), { interval: 1 }).toBeGreaterThan(0);
  await portal.end('SIGKILL');
  const atKill = countOf(file, done);
  expect(created(file)).toBe(atKill);
  releaseJobs(file, 'batch');
  await portal.again();
  await expect.poll(() => countOf(file, done)).toBe(total);
  expect(created(file)).toBe(total);
  expect(twice(file)).toEqual([]);
  await portal.end('SIGTERM');
});

test('of submissions that a kill interrupts each is there as a whole or not at all, and can be repeated', async () => {
  const portal = await Portal.start({ folder: copyToMemory(inject('world')) });
  const file = path.join(portal.start.folder, 'data/portal.db');
  const clientId = String(
    rowsIn(file, `select client_id from clients where name like 'Juniper%'`)[0]?.['client_id'],
  );
  const hart = await new Person(portal.origin, 'hart@maplehart.example').arrive();
  const olivia = await new Person(portal.origin, 'olivia@juniper.example').arrive();
  const taskIds: string[] = [];
  for (let at = 1; at <= SUBMISSIONS; at += 1) {
    const answer = await hart.json(TASKS, { clientId, type: 'misc', label: `Task ${at}` });
    taskIds.push((JSON.parse(answer.body.toString()) as { data: { taskId: string } }).data.taskId);
  }
  const submit = (taskId: string) => olivia.ask(`${TASKS}/${taskId}`, PATCH);
  const answers = taskIds.map(submit);
  await Promise.race(answers);
  await portal.end('SIGKILL');
  await Promise.allSettled(answers); // the others lose their connections
  const received = taskIds.map((taskId) => expectWhole(file, taskId));
  expect(received).toContain(true);
  expect(received, 'the kill came in the middle').toContain(false);
  await portal.again();
  for (const taskId of taskIds) {
    await submit(taskId);
    expect(expectWhole(file, taskId), 'submitted again').toBe(true);
  }
  await portal.end('SIGTERM');
});

/** Expects that all of a submission is stored, or nothing; returns which. */
function expectWhole(file: string, taskId: string): boolean {
  const [task] = rowsIn(file, `select status, submission from tasks where task_id = '${taskId}'`);
  const isReceived = task?.['status'] === 'Received';
  expect(task?.['submission']).toBe(isReceived ? 1 : 0);
  const submissions = `task_submissions where task_id = '${taskId}'`;
  expect(countOf(file, submissions)).toBe(isReceived ? 1 : 0);
  const sealed = SEALED.map((table) => countOf(file, `${table} where receipt is not null`));
  expect(countOf(file, `receipts where kind = 'submission'`)).toBe(
    sealed.reduce((sum, count) => sum + count, 0),
  );
  return isReceived;
}

/** The tables of submissions, each of which gets a receipt of this kind. */
const SEALED = ['task_submissions', 'service_request_submissions', 'payroll_submissions', 'manifest_intents'];

const TASKS = '/api/client-center/v3/tasks';
const PATCH = {
  method: 'PATCH',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ status: 'DONE' }),
};

const countOf = (file: string, from: string): number =>
  Number(rowsIn(file, `select count(*) as count from ${from}`)[0]?.['count']);

const CREATED = `tasks join task_forms using (form_id) where task_forms.body like '%"us-year-end"%' and tax_year = 2026`;
const created = (file: string): number => countOf(file, CREATED);

/** The clients that have two of them. */
const twice = (file: string): unknown[] =>
  rowsIn(file, `select client_id from ${CREATED} group by client_id having count(*) > 1`);
