import { expect, test } from 'vitest';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import type { Actor } from '#features/base/people/people.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { saveAnswers, setStepNotApplicable } from '#features/tasks/tasks/answering.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { removeFromTask } from '#features/tasks/task-answers/files.server.ts';
import { ownTask } from '#features/tasks/tasks/own-questions.server.ts';
import { chooseAnswer } from '#features/tasks/tasks/kept-answers.server.ts';
import { questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import { listTasks } from '#features/tasks/task-lists/task-list.server.ts';
import { taskOf } from '#features/tasks/tasks/reading.server.ts';
import type { NewTask, Task } from '#features/tasks/tasks/tasks.ts';
import { verify } from '#platform/database/verification.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { apiAs, filesForm } from '../../support/api.ts';
import { makeCast, pdf } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { ada, ben, cleo, sam, zoe, clientA } = await makeCast();

const ask = (): Promise<Task> =>
  createTask(sam, {
    clientId: clientA,
    ...ownTask(
      {
        title: 'Papers for the return',
        message: 'Please send these.',
        taxYear: '2025',
        dueDate: '',
        items: [
          { label: 'Bank statements', kind: 'files', isRequired: true },
          { label: 'Miles driven', kind: 'number', isRequired: true },
          { label: 'Anything else', kind: 'paragraph', isRequired: false },
        ],
      },
      'en-us',
    ),
  });

/** Posts the form of a task as its page does. */
async function post(
  actor: Actor,
  { taskId }: Task,
  fields: Record<string, string>,
  files: Record<string, [string, Buffer]> = {},
) {
  const form = filesForm();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [path, [name, bytes]] of Object.entries(files))
    form.append(`files:${path}`, new Blob([new Uint8Array(bytes)]), name);
  const answer = await apiAs(actor)('POST', `/api/client-center/v3/tasks/${taskId}/sections/request`, {
    form,
  });
  return {
    status: answer.status,
    ...((await answer.json()) as {
      data: {
        problems: { path: string; code: string }[];
        conflicts: string[];
        documentIds: string[];
        refused: { name: string; code: string }[];
      };
      errors: { code: string }[];
    }),
  };
}

const MILES = 'request.item-2';
const FILES = 'request.item-1';

test('answers and files are saved together, what is wrong is kept as typed, and what is missing prevents the submission', async () => {
  const task = await ask();
  expect(task).toMatchObject({ type: 'misc', label: 'Papers for the return', params: { taxYear: 2025 } });
  const wrong = await post(ada, task, { [MILES]: 'many' });
  expect(wrong.data.problems).toMatchObject([{ path: MILES }]);
  expect((await questionAnswers(task.taskId)).answers[MILES]).toBe('many');
  await expect(performAction(ada, task.taskId, 'submit')).rejects.toMatchObject({
    code: 'INCOMPLETE',
    details: { paths: [FILES, MILES] },
  });
  const saved = await post(
    ada,
    task,
    { [MILES]: '1,250', comment: 'The rest follows.' },
    { [FILES]: ['December.pdf', pdf('December')] },
  );
  expect(saved.data).toMatchObject({ problems: [], conflicts: [], refused: [] });
  const { answers } = await questionAnswers(task.taskId);
  expect(answers).toEqual({ [MILES]: 1250, [FILES]: saved.data.documentIds });
  const metadata = await db()
    .selectFrom('item_metadata')
    .select(['meta_key', 'meta_value'])
    .where('document_id', '=', saved.data.documentIds[0] ?? '')
    .execute();
  expect(metadata.map(({ meta_key: key }) => key).toSorted()).toEqual([
    'ccGroupType',
    'ccStep',
    'ccTask',
    'ccTaskLabel',
  ]);
  expect((await performAction(ada, task.taskId, 'submit')).status).toBe('Received');
});

test('a refused file leaves the answers saved, and a file of another question is refused', async () => {
  const task = await ask();
  const answer = await post(ada, task, { [MILES]: '7' }, { [FILES]: ['virus.exe', Buffer.from('MZ')] });
  expect(answer.data.refused).toMatchObject([{ name: 'virus.exe', code: 'TYPE_NOT_ALLOWED' }]);
  expect((await questionAnswers(task.taskId)).answers[MILES]).toBe(7);
  const elsewhere = await post(ada, task, {}, { [MILES]: ['paper.pdf', pdf('paper')] });
  expect(elsewhere.data.refused).toMatchObject([{ code: 'INVALID' }]);
});

test('a file can be removed from its answer and stays in the documents', async () => {
  const task = await ask();
  const { data } = await post(ada, task, {}, { [FILES]: ['January.pdf', pdf('January')] });
  const [documentId = ''] = data.documentIds;
  await expect(removeFromTask(ben, task.taskId, FILES, documentId)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await removeFromTask(ada, task.taskId, FILES, documentId);
  expect((await questionAnswers(task.taskId)).answers[FILES]).toBeUndefined();
  const kept = await db()
    .selectFrom('documents')
    .select('deleted_at')
    .where('document_id', '=', documentId)
    .executeTakeFirstOrThrow();
  expect(kept.deleted_at).toBeNull();
});

test('an answer that somebody else changed is not overwritten, but the others are saved', async () => {
  const task = await ask();
  await saveAnswers(ada, task.taskId, [{ path: MILES, value: 10 }]);
  const conflicts = await saveAnswers(
    cleo,
    task.taskId,
    [
      { path: MILES, value: 20 },
      { path: 'request.item-3', value: 'All well' },
    ],
    new Map(),
  );
  expect(conflicts).toMatchObject([{ path: MILES }]);
  expect((await questionAnswers(task.taskId)).answers).toEqual({ [MILES]: 10, 'request.item-3': 'All well' });
  await setStepNotApplicable(ada, task.taskId, 1, 'We have none');
  await expect(performAction(ada, task.taskId, 'submit')).rejects.toMatchObject({
    code: 'INCOMPLETE',
    details: { undecided: true },
  });
  const [conflict] = conflicts;
  await expect(chooseAnswer(ben, task.taskId, conflict?.keptId ?? '', true)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await chooseAnswer(ada, task.taskId, conflict?.keptId ?? '', true);
  expect((await questionAnswers(task.taskId)).answers[MILES]).toBe(20);
  const again = new Map([[MILES, 2]]);
  expect(await saveAnswers(cleo, task.taskId, [{ path: MILES, value: 30 }], again)).toEqual([]);
});

test('paths that are no questions, other people and complete tasks are refused', async () => {
  const task = await ask();
  for (const path of ['request.other', '#comment', '__proto__', '1#not-apply', 'request.item-1#order'])
    await expect(saveAnswers(ada, task.taskId, [{ path, value: 'x' }])).rejects.toMatchObject({
      code: 'INVALID',
    });
  for (const stranger of [ben, zoe]) expect((await post(stranger, task, { [MILES]: '1' })).status).toBe(404);
  await expect(saveAnswers(sam, task.taskId, [{ path: MILES, value: 1 }])).rejects.toMatchObject({
    code: 'NOT_POSSIBLE',
  });
  await performAction(ada, task.taskId, 'set-not-applicable', { reason: 'Closed' });
  expect((await post(ada, task, { [MILES]: '1' })).errors[0]?.code).toBe('CLOSED');
});

test('a step that does not apply needs no answers, and its answers are not submitted', async () => {
  const task = await ask();
  await saveAnswers(ada, task.taskId, [{ path: MILES, value: 10 }]);
  await setStepNotApplicable(ada, task.taskId, 1, 'We have none');
  expect((await listed(ada)).find(({ taskId }) => taskId === task.taskId)).toMatchObject({
    settled: 1,
    steps: 1,
  });
  await performAction(ada, task.taskId, 'submit');
  const { submission_id: id, content } = await db()
    .selectFrom('task_submissions')
    .select(['submission_id', 'content'])
    .where('task_id', '=', task.taskId)
    .executeTakeFirstOrThrow();
  const submitted = JSON.parse(decryptFrom('task_submissions.content', id, content)) as {
    answers: unknown[];
  };
  expect(submitted.answers).toEqual([]);
});

test('a submission waits in the inbox until the firm decides, and what is returned can be changed', async () => {
  const task = await ask();
  await setStepNotApplicable(ada, task.taskId, 1, 'We have none');
  await performAction(ada, task.taskId, 'submit');
  const waits = async () =>
    (await listInbox(sam, inboxQuery.parse({ of: 'all' }))).items.filter(({ key }) => key === task.taskId);
  expect(await waits()).toMatchObject([{ kind: 'task', name: 'Papers for the return 2025' }]);
  await performAction(sam, task.taskId, 'return', { reason: 'We need the statements.' });
  expect(await waits()).toEqual([]);
  expect((await listed(ada)).find(({ taskId }) => taskId === task.taskId)).toMatchObject({
    isReturned: true,
  });
  await performAction(ada, task.taskId, 'submit');
  expect(await waits()).toHaveLength(1);
  await performAction(sam, task.taskId, 'accept');
  expect(await waits()).toEqual([]);
  expect((await taskOf(ada, task.taskId)).status).toBe('Done');
  expect((await verify()).faults).toEqual([]);
});

test('a form that is not a questionnaire is refused with its problems', async () => {
  const form = { format: 1, key: 'x', sections: [] } as unknown as NonNullable<NewTask['form']>;
  await expect(createTask(sam, { clientId: clientA, type: 'misc', form })).rejects.toMatchObject({
    code: 'INVALID',
    details: { field: 'form' },
  });
});

const listed = async (actor: Actor) =>
  (await listTasks(actor, { lang: 'en-us', clientId: clientA, isPending: true, from: 0 })).tasks;
