import { expect, test } from 'vitest';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { saveAnswers } from '#features/tasks/tasks/answering.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { revealAnswer } from '#features/tasks/task-submissions/revealing.server.ts';
import type { Task } from '#features/tasks/tasks/tasks.ts';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { impersonating, sessionAs } from '../../support/api.ts';
import { makeCast, person } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/* Masked answers in full: for staff who decide about the task, after a recent confirmation, and never unrecorded. */

const { firmOne, ada, ben, sam, tom, clientA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const rita = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });
const amos = await person(firmOne, 'Amos Assigned', 'amos@one.example', {
  role: 'member',
  hasAllClients: false,
});

const text = (en: string) => ({ 'en-us': en });
const SSN = 'you.ssn';
const ROW = 'child1xxxxxx';

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
            { kind: 'text', key: 'name', label: text('Name') },
            { kind: 'identifier', key: 'ssn', scheme: 'ssn', label: text('Social Security number') },
            { kind: 'identifier', key: 'account', scheme: 'account', label: text('Account') },
            { kind: 'text', key: 'secret', label: text('Secret'), sensitive: true },
            {
              kind: 'group',
              key: 'child',
              label: text('Children'),
              one: text('Child'),
              addLabel: text('Add'),
              max: 3,
              items: [{ kind: 'identifier', key: 'ssn', scheme: 'ssn', label: text('SSN of the child') }],
            },
          ],
        },
      ],
    },
  });

async function submitted(): Promise<Task> {
  const task = await ask();
  await saveAnswers(ada, task.taskId, [
    { path: 'you.name', value: 'Ada' },
    { path: SSN, value: '123456789' },
    { path: 'you.secret', value: 'Blue' },
    { path: 'you.child#order', value: [ROW] },
    { path: `you.child.${ROW}.ssn`, value: '987654321' },
  ]);
  await performAction(ada, task.taskId, 'submit');
  return task;
}

const reveal = ({ taskId }: Task, path = SSN, session = sessionAs(sam)): Promise<string> =>
  revealAnswer(session, taskId, { path, lang: 'en-us' });

const recorded = ({ taskId }: Task) =>
  db()
    .selectFrom('audit')
    .select(['actor', 'client_id', 'details'])
    .where('action', '=', 'task.reveal')
    .where('target', '=', taskId)
    .orderBy('seq')
    .execute();

test('a masked answer is shown in full, and recorded with its question and without the answer', async () => {
  const task = await submitted();
  expect(await reveal(task)).toBe('123-45-6789');
  expect(await reveal(task, 'you.secret')).toBe('Blue');
  expect(await reveal(task, `you.child.${ROW}.ssn`)).toBe('987-65-4321');
  const entries = await recorded(task);
  expect(entries.map(({ actor, client_id: client }) => [actor, client])).toEqual(
    Array.from({ length: 3 }, () => [sam.contactId, clientA]),
  );
  expect(entries.map(({ details }) => (JSON.parse(details) as { question: string }).question)).toEqual([
    'Social Security number',
    'Secret',
    'SSN of the child',
  ]);
  expect(JSON.stringify(entries)).not.toMatch(/123.?45.?6789|987.?65.?4321|Blue/);
});

test('showing a masked answer requires a recent confirmation', async () => {
  const task = await submitted();
  const old = sessionAs(sam, { authenticatedAt: now() - 6 * MINUTE });
  await expect(reveal(task, SSN, old)).rejects.toMatchObject({ code: 'STEP_UP' });
  expect(await recorded(task)).toEqual([]);
});

test('contacts, staff without the client or the right, and staff who view as a contact get nothing', async () => {
  const task = await submitted();
  for (const [session, code] of [
    [sessionAs(ada), 'FORBIDDEN'],
    [sessionAs(ben), 'FORBIDDEN'],
    [sessionAs(rita), 'FORBIDDEN'],
    [sessionAs(amos), 'NOT_FOUND'],
    [sessionAs(tom), 'NOT_FOUND'],
    [impersonating(ada, olga), 'FORBIDDEN'],
  ] as const)
    await expect(reveal(task, SSN, session)).rejects.toMatchObject({ code });
  expect(await recorded(task)).toEqual([]);
});

test('only sensitive answers of what is submitted are shown', async () => {
  const task = await submitted();
  for (const path of ['you.name', 'you.account', 'you.none', 'you.child#order'])
    await expect(reveal(task, path)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await performAction(ada, task.taskId, 'take-back');
  await expect(reveal(task)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
