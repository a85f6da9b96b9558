import { expect, test } from 'vitest';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { removeFromTask, uploadToTask } from '#features/tasks/task-answers/files.server.ts';
import { ownTask } from '#features/tasks/tasks/own-questions.server.ts';
import { sweepTaskUploads } from '#features/tasks/task-answers/repeated-uploads.server.ts';
import { questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import type { Task } from '#features/tasks/tasks/tasks.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, filesForm } from '../../support/api.ts';
import { blobFiles, fileOf, makeCast, pdf, standAt } from '../../support/cast.ts';
import { failInserts } from '../../support/faults.ts';
import '../../../src/app.server.ts';

/*
 * A file of a task is stored once, however often its client sends it because the answer was lost on the way.
 */

const { ada, cleo, sam, clientA } = await makeCast();

const FILES = 'request.item-1';

const ask = (): Promise<Task> =>
  createTask(sam, {
    clientId: clientA,
    ...ownTask(
      {
        title: 'Papers for the return',
        message: '',
        taxYear: '2025',
        dueDate: '',
        items: [{ label: 'Bank statements', kind: 'files', isRequired: true }],
      },
      'en-us',
    ),
  });

interface Sending {
  key?: string;
  files?: readonly [string, Buffer][];
  actor?: typeof ada;
}
const STATEMENT = ['statement.pdf', pdf('the statement')] as const satisfies [string, Buffer];

/** Sends files to the question of a task. Returns the ids of their documents. */
async function send({ taskId }: Task, { key, files = [STATEMENT], actor = ada }: Sending): Promise<string[]> {
  const form = filesForm();
  for (const [name, bytes] of files) form.append(`files:${FILES}`, new Blob([new Uint8Array(bytes)]), name);
  const answer = await apiAs(actor)(
    'POST',
    `/api/client-center/v3/tasks/${taskId}/sections/request${key === undefined ? '' : `?upload=${key}`}`,
    { form },
  );
  const { data } = (await answer.json()) as { data: { documentIds: string[]; refused: object[] } };
  expect(data.refused).toEqual([]);
  return data.documentIds;
}
const stored = async () => ({
  documents: (await db().selectFrom('documents').select('document_id').execute()).length,
  receipts: (await db().selectFrom('receipts').select('number').execute()).length,
  files: (await blobFiles()).length,
});
const answerOf = async ({ taskId }: Task) => (await questionAnswers(taskId)).answers[FILES];

test('a file that is sent again by the same attempt is stored once, and answered as the first time', async () => {
  const task = await ask();
  const first = await send(task, { key: 'one' });
  const before = await stored();
  expect(await send(task, { key: 'one' })).toEqual(first);
  expect(await stored()).toEqual(before);
  expect(await answerOf(task)).toEqual(first);
});

test('of two attempts at the same time one stores the file', async () => {
  const task = await ask();
  const [one, other] = await Promise.all([send(task, { key: 'two' }), send(task, { key: 'two' })]);
  expect(one).toEqual(other);
  expect(await answerOf(task)).toEqual(one);
});

test('a form that is sent again stores what had not arrived', async () => {
  const task = await ask();
  const second = ['second.pdf', pdf('the second')] as const satisfies [string, Buffer];
  const [first] = await send(task, { key: 'form' });
  const both = await send(task, { key: 'form', files: [STATEMENT, second] });
  expect(both[0]).toBe(first);
  expect(await answerOf(task)).toEqual(both);
});

test('another file under the same key is stored, and so is the same file without one or under another key', async () => {
  const task = await ask();
  const [first] = await send(task, { key: 'one' });
  const others = [
    ...(await send(task, { key: 'one', files: [['statement.pdf', pdf('another statement')]] })),
    ...(await send(task, { key: 'one', files: [['another name.pdf', STATEMENT[1]]] })),
    ...(await send(task, { key: 'other' })),
    ...(await send(task, {})),
    ...(await send(task, {})),
  ];
  expect(await answerOf(task)).toEqual([first, ...others]);
  expect(new Set([first, ...others]).size).toBe(6);
});

test('a file that was removed from the answer in the meantime is stored again', async () => {
  const task = await ask();
  const [first = ''] = await send(task, { key: 'one' });
  await removeFromTask(cleo, task.taskId, FILES, first);
  const again = await send(task, { key: 'one' });
  expect(again).not.toEqual([first]);
  expect(await answerOf(task)).toEqual(again);
  expect(await send(task, { key: 'one' })).toEqual(again);
});

test('what was stored is remembered for a week', async () => {
  const task = await ask();
  await send(task, { key: 'one' });
  const rows = () => db().selectFrom('task_uploads').selectAll().execute();
  await sweepTaskUploads();
  expect(await rows()).not.toEqual([]);
  standAt(now() + 8 * DAY);
  await sweepTaskUploads();
  expect(await rows()).toEqual([]);
});

test('a file of a task and what says so are stored together, or neither', async () => {
  const { taskId } = await ask();
  const rows = await db()
    .selectFrom('item_metadata')
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const stored = async () => [
    await db().selectFrom('documents').select('document_id').execute(),
    (await questionAnswers(taskId)).answers[FILES],
  ];
  const before = await stored();
  const undo = await failInserts('item_metadata', Number(rows.count));
  const file = { name: 'statement.pdf', bytes: fileOf(pdf('statement')) };
  await expect(uploadToTask(ada, taskId, FILES, file)).rejects.toThrow();
  await undo();
  expect(await stored()).toEqual(before);
});
