import { expect, test } from 'vitest';
import { promisesFor } from '#features/tasks/task-reminders/promises.server.ts';
import { addDays } from '#platform/text/time-zones.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { shownAnswers } from '#features/tasks/task-submissions/answers-view.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { uploadToTask } from '#features/tasks/task-answers/files.server.ts';
import { promiseItem } from '#features/tasks/task-answers/item-promises.server.ts';
import { firmToday, taskRow } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask, questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import type { Task } from '#features/tasks/tasks/tasks.ts';
import { fileOf, makeCast, pdf } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/* "I'll get it by …": a date for each document that is asked for, which the firm sees and reminders wait for. */

const { ada, ben, sam, firmOne, clientA } = await makeCast();
const today = await firmToday(firmOne);
const FIRST = 'request.item-1';
const SECOND = 'request.item-2';

const text = (en: string) => ({ 'en-us': en });
const ask = (): Promise<Task> =>
  createTask(sam, {
    clientId: clientA,
    type: 'document_request',
    label: 'Papers',
    form: {
      format: 1,
      key: 'request',
      country: 'US',
      languages: ['en-us'],
      label: text('Papers'),
      sections: [
        {
          key: 'request',
          label: text('Papers'),
          items: [
            { kind: 'files', key: 'item-1', label: text('Statements'), required: true },
            { kind: 'files', key: 'item-2', label: text('Invoices'), required: true },
            { kind: 'files', key: 'now', label: text('At once'), notYet: false },
            { kind: 'text', key: 'note', label: text('Note') },
          ],
        },
      ],
    },
  });

async function shown({ taskId }: Task): Promise<Record<string, string>> {
  const form = await formOfTask(await taskRow(sam, taskId));
  if (!form) throw new Error('The task asks nothing.');
  const sections = await shownAnswers(sam, 'en-us', form, (await questionAnswers(taskId)).answers);
  return Object.fromEntries(sections.flatMap(({ answers }) => answers.map((each) => [each.path, each.text])));
}

const datesOf = async ({ taskId }: Task): Promise<string[]> =>
  (await promisesFor(sam, taskId)).map(({ promisedOn }) => promisedOn);

test('the firm sees the date of a document, until it is withdrawn or the document is given', async () => {
  const task = await ask();
  await promiseItem(ada, task.taskId, FIRST, addDays(today, 5));
  await promiseItem(ada, task.taskId, SECOND, addDays(today, 6));
  expect((await shown(task))[FIRST]).not.toBe('');
  await promiseItem(ada, task.taskId, FIRST, undefined);
  expect((await shown(task))[FIRST]).toBe('');
  await uploadToTask(ada, task.taskId, SECOND, { name: 'invoices.pdf', bytes: fileOf(pdf('invoices')) });
  expect((await questionAnswers(task.taskId)).answers[SECOND]).toHaveLength(1);
  await promiseItem(ada, task.taskId, SECOND, addDays(today, 7));
  expect((await questionAnswers(task.taskId)).answers[SECOND]).toHaveLength(1);
});

test('reminders wait for the last date once everything that is required is given or promised', async () => {
  const task = await ask();
  await promiseItem(ada, task.taskId, FIRST, addDays(today, 9));
  expect(await datesOf(task)).toEqual([]);
  await promiseItem(ada, task.taskId, SECOND, addDays(today, 5));
  expect(await datesOf(task)).toEqual([addDays(today, 9)]);
  await promiseItem(ada, task.taskId, SECOND, addDays(today, 300));
  expect(await datesOf(task)).toEqual([addDays(today, 60)]);
});

test('dates that are over or too far ahead, and questions that offer none, are refused', async () => {
  const { taskId } = await ask();
  for (const by of [addDays(today, -1), addDays(today, 367), 'soon', ''])
    await expect(promiseItem(ada, taskId, FIRST, by)).rejects.toMatchObject({ code: 'INVALID' });
  for (const path of ['request.now', 'request.note', 'request.none'])
    await expect(promiseItem(ada, taskId, path, today)).rejects.toMatchObject({ code: 'INVALID' });
});

test('only contacts of the client promise documents, while the task is open', async () => {
  const { taskId } = await ask();
  await expect(promiseItem(ben, taskId, FIRST, today)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await performAction(sam, taskId, 'cancel');
  await expect(promiseItem(ada, taskId, FIRST, today)).rejects.toMatchObject({ code: 'CLOSED' });
});
