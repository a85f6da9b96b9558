import { describe, expect, test } from 'vitest';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { itemText } from '#features/office/inbox/texts.server.ts';
import { STARTERS } from '#features/tasks/starter-questionnaires/all.ts';
import { uploadToTask } from '#features/tasks/task-answers/files.server.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { groupNamed } from '#features/tasks/tasks/reading.server.ts';
import { readOptions, TASK_TYPES } from '#features/tasks/tasks/tasks.ts';
import { reportUnanswered } from '#features/tasks/task-reminders/unanswered.server.ts';
import { at, DAY, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { apiAs } from '../../support/api.ts';
import { fileOf, makeCast, pdf } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/* A task has a title everywhere, also one that was made without a label. */

const { ada, sam, clientA } = await makeCast();

const inboxOf = async (taskId: string) =>
  (await listInbox(sam, inboxQuery.parse({ of: 'all' }))).items.find(({ key }) => key === taskId);

describe('a task without a label of its own', () => {
  test.each(STARTERS.map((starter) => [starter.key, starter] as const))(
    'made from the starter %s has the title of the starter in the inbox',
    async (_, { template }) => {
      const { taskId } = await createTask(sam, {
        clientId: clientA,
        type: 'questionnaire',
        form: { ...template },
        params: { taxYear: 2025 },
      });
      await performAction(ada, taskId, 'set-not-applicable', { reason: 'We have closed.' });
      const item = await inboxOf(taskId);
      expect(item?.name.trim()).toMatch(/\p{L}{3}/u);
      for (const lang of LANGS)
        if (item)
          expect(itemText(lang, item)).toMatch(
            new RegExp(`${RegExp.escape(item.name)}.*We have closed\\.`, 'u'),
          );
    },
  );

  test('is named on its confirmation, and sorted by that name in lists', async () => {
    const { taskId } = await createTask(sam, { clientId: clientA, type: 'misc' });
    await performAction(ada, taskId, 'submit');
    expect((await inboxOf(taskId))?.name).toBe('Documents and questions');
    const receipt = await db()
      .selectFrom('receipts')
      .select('name')
      .where('document_id', '=', taskId)
      .executeTakeFirstOrThrow();
    expect(receipt.name).toBe('Documents and questions');
    const row = await db()
      .selectFrom('tasks')
      .select(['label', 'label_key'])
      .where('task_id', '=', taskId)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ label: '', label_key: 'documents and questions' });
  });

  test('is named when nobody has answered it for eight weeks', async () => {
    const { taskId } = await createTask(sam, { clientId: clientA, type: 'document_request' });
    await at(now() + 70 * DAY, reportUnanswered);
    expect((await inboxOf(taskId))?.name).toBe('Document request');
  });
});

test('the inbox tells a task that the client removed, with the reason, from one that was submitted', async () => {
  const [removed, submitted] = [
    await createTask(sam, { clientId: clientA, type: 'misc', label: 'Vehicle log' }),
    await createTask(sam, { clientId: clientA, type: 'misc', label: 'Hours' }),
  ];
  await performAction(ada, removed.taskId, 'set-not-applicable', { reason: 'We sold the car.' });
  await performAction(ada, submitted.taskId, 'submit');
  const texts = await Promise.all(
    [removed, submitted].map(async ({ taskId }) => {
      const item = await inboxOf(taskId);
      return item && itemText('en-us', item);
    }),
  );
  expect(texts).toEqual(['Vehicle log: doesn’t apply, “We sold the car.”', 'Hours: submitted']);
  await performAction(sam, removed.taskId, 'reopen');
  expect(await inboxOf(removed.taskId)).toBeUndefined();
});

describe('a task that needs a document, an amount or documents to review', () => {
  const PREPARED = ['esign', 'payment_request', 'document_review'];
  const send = (path: string, body: unknown) =>
    apiAs(sam)('POST', `/api/client-center/v3/tasks${path}`, { json: body });

  test.each(TASK_TYPES)(
    'of type %s is refused by every call that could make it without, and only then',
    async (type) => {
      const { taskId } = await createTask(sam, { clientId: clientA, type: 'misc', label: 'Parent' });
      const child = { type: type.toUpperCase(), label: 'Child' };
      const answers = [
        await send('', { clientId: clientA, type, label: 'Alone' }),
        await send(`/${taskId}/tasks`, [child]),
        await send('', {
          clientId: clientA,
          type: 'misc',
          label: 'With a trigger',
          triggers: { create: [child] },
        }),
      ];
      expect(answers.map(({ status }) => status)).toEqual(
        PREPARED.includes(type) ? [422, 422, 422] : [200, 200, 200],
      );
      for (const answer of answers)
        if (answer.status === 422)
          expect(await answer.json()).toMatchObject({
            errors: [{ code: 'INVALID', type, needs: expect.any(String) as string }],
          });
    },
  );
});

test('a group is listed by the earliest date of its pending tasks, also after the one that had it was deleted', async () => {
  const first = await createTask(sam, { clientId: clientA, type: 'misc', label: 'A', dueDate: '2030-01-15' });
  const { taskGroupId } = first;
  await createTask(sam, { clientId: clientA, type: 'misc', label: 'B', taskGroupId, dueDate: '2030-03-01' });
  await createTask(sam, { clientId: clientA, type: 'misc', label: 'C', taskGroupId });
  const due = async () => (await groupNamed(sam, taskGroupId, readOptions.parse({}))).dueDate;
  expect(await due()).toBe('2030-01-15');
  await performAction(sam, first.taskId, 'delete');
  expect(await due()).toBe('2030-03-01');
});

test('a file that answers a task waits in the inbox with the task, not on its own', async () => {
  const { taskId } = await createTask(sam, {
    clientId: clientA,
    type: 'document_request',
    label: 'Hours of November',
    form: {
      format: 1,
      key: 'hours',
      country: 'US',
      languages: ['en-us'],
      label: { 'en-us': 'Hours' },
      sections: [
        {
          key: 'files',
          label: { 'en-us': 'Files' },
          items: [{ kind: 'files', key: 'hours', label: { 'en-us': 'Hours' }, required: true }],
        },
      ],
    },
  });
  const waiting = async () =>
    (await listInbox(sam, inboxQuery.parse({ of: 'all' }))).items.map((item) => itemText('en-us', item));
  const before = await waiting();
  await uploadToTask(ada, taskId, 'files.hours', { name: 'hours.pdf', bytes: fileOf(pdf('hours')) });
  expect(await waiting()).toEqual(before);
  await performAction(ada, taskId, 'submit');
  expect(await waiting()).toEqual(expect.arrayContaining([...before, 'Hours of November: submitted']));
  expect(await waiting()).toHaveLength(before.length + 1);
});
