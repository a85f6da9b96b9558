import { expect, test } from 'vitest';
import type { Actor } from '#features/base/people/people.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { saveAnswers } from '#features/tasks/tasks/answering.server.ts';
import { shownAnswers } from '#features/tasks/task-submissions/answers-view.server.ts';
import { createReview, sendNewVersions } from '#features/tasks/document-review/document-reviews.server.ts';
import { returnedItems } from '#features/tasks/task-page/returned-items.server.ts';
import { taskRow } from '#features/tasks/tasks/scope.server.ts';
import { submissionJson } from '#features/tasks/task-submissions/submission-files.server.ts';
import { formOfTask, questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import { taskOf } from '#features/tasks/tasks/reading.server.ts';
import type { Task } from '#features/tasks/tasks/tasks.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { apiAs, filesForm } from '../../support/api.ts';
import { makeCast, pdf, uploadAs } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/* A client approves documents one by one, or says what has to change; the firm sends new versions of those. */

const { ada, ben, sam, tom, clientA, projectA, projectB, documentTwo } = await makeCast();

const FIRST = 'review.document-1';
const SECOND = 'review.document-2';

const upload = async (name: string, content: string, to = projectA): Promise<string> =>
  (await uploadAs(sam, to, name, content)).id;
const accounts = await upload('accounts.pdf', 'accounts');
const letter = await upload('letter.pdf', 'letter');
const ofOther = await upload('other.pdf', 'other', projectB);

const ask = (documentIds: string[] = [accounts, letter], actor: Actor = sam): Promise<Task> =>
  createReview(
    actor,
    {
      clientId: clientA,
      documentIds,
      title: 'Annual accounts',
      message: 'Please check both.',
      dueDate: null,
      sendNotification: false,
    },
    'en-us',
  );

async function submitted(): Promise<Task> {
  const task = await ask();
  await saveAnswers(ada, task.taskId, [
    { path: FIRST, value: 'approved' },
    { path: SECOND, value: 'change' },
    { path: `${SECOND}-why`, value: 'My name is wrong' },
  ]);
  await performAction(ada, task.taskId, 'submit');
  return task;
}

const send = (task: Task, versions: [string, string][], submission = 1, actor: Actor = sam): Promise<void> =>
  sendNewVersions(actor, task.taskId, { versions: new Map(versions), message: '', submission });

async function shown(task: Task, actor: Actor = ada) {
  const form = await formOfTask(await taskRow(actor, task.taskId));
  if (!form) throw new Error('The review asks nothing.');
  const { answers } = await questionAnswers(task.taskId);
  const sections = await shownAnswers(actor, 'en-us', form, answers);
  return sections.flatMap(({ answers: each }) =>
    each.map(({ label, text, documents }) => [label, text, documents.map(({ name }) => name)]),
  );
}

test('a client sees each document with its question, and says why one has to change', async () => {
  const task = await submitted();
  expect(await shown(task)).toEqual([
    ['accounts.pdf', 'Approve', ['accounts.pdf']],
    ['letter.pdf', 'Request a change', ['letter.pdf']],
    ['What needs to change in “letter.pdf”?', 'My name is wrong', []],
  ]);
});

test('a review cannot be submitted while a document has no decision, or a change has no reason', async () => {
  const task = await ask();
  await saveAnswers(ada, task.taskId, [{ path: FIRST, value: 'change' }]);
  await expect(performAction(ada, task.taskId, 'submit')).rejects.toMatchObject({
    code: 'INCOMPLETE',
    details: { paths: [`${FIRST}-why`, SECOND] },
  });
});

test('only documents of the client that the firm sees can be reviewed', async () => {
  for (const id of [ofOther, documentTwo.id, 'doc_none'])
    await expect(ask([accounts, id])).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(ask([])).rejects.toMatchObject({ code: 'INVALID' });
  await expect(ask([accounts], ada)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(ask([accounts], tom)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a submission keeps which documents were reviewed, with their digests', async () => {
  const task = await submitted();
  const row = await db()
    .selectFrom('task_submissions')
    .select(['submission_id', 'content'])
    .where('task_id', '=', task.taskId)
    .executeTakeFirstOrThrow();
  const content = JSON.parse(decryptFrom('task_submissions.content', row.submission_id, row.content)) as {
    documents: { id: string; sha256: string }[];
  };
  expect(content.documents.map(({ id }) => id).toSorted()).toEqual([accounts, letter].toSorted());
  const file = await submissionJson(sam, task.taskId, 'en-us');
  expect(file.files.map(({ path, documentId }) => [path, documentId])).toEqual([
    [FIRST, accounts],
    [SECOND, letter],
  ]);
});

test('a new version is reviewed again, while what was approved stays closed', async () => {
  const task = await submitted();
  const corrected = await upload('letter v2.pdf', 'letter 2');
  await send(task, [[SECOND, corrected]]);
  expect((await taskOf(ada, task.taskId)).status).toBe('WIP');
  expect(await shown(task)).toEqual([
    ['accounts.pdf', 'Approve', ['accounts.pdf']],
    ['letter v2.pdf', '', ['letter v2.pdf']],
  ]);
  const row = await taskRow(ada, task.taskId);
  const form = await formOfTask(row);
  const returned = form && (await returnedItems(row, form, 'en-us'));
  expect(returned?.items.map(({ title, reason }) => [title, reason])).toEqual([
    ['letter v2.pdf', 'New version: letter v2.pdf'],
  ]);
  await expect(saveAnswers(ada, task.taskId, [{ path: FIRST, value: 'change' }])).rejects.toMatchObject({
    code: 'LOCKED',
  });
  await saveAnswers(ada, task.taskId, [
    { path: SECOND, value: 'change' },
    { path: `${SECOND}-why`, value: 'Still wrong' },
  ]);
  await saveAnswers(ada, task.taskId, [{ path: SECOND, value: 'approved' }]);
  await performAction(ada, task.taskId, 'submit');
  await performAction(sam, task.taskId, 'accept');
  expect((await taskOf(ada, task.taskId)).status).toBe('Done');
});

test('new versions are refused from others, for other documents, and after another submission', async () => {
  const task = await submitted();
  await expect(send(task, [[SECOND, letter]], 1, tom)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(send(task, [[SECOND, letter]], 1, ben)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(send(task, [[SECOND, ofOther]])).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(send(task, [['review.nothing', letter]])).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(send(task, [[SECOND, letter]], 2)).rejects.toMatchObject({ code: 'EDIT_CONFLICT' });
  await expect(send(task, [])).rejects.toMatchObject({ code: 'EMPTY' });
  await performAction(sam, task.taskId, 'accept');
  await expect(send(task, [[SECOND, letter]])).rejects.toMatchObject({ code: 'NOT_POSSIBLE' });
});

test('a new version is uploaded on the page of the review, beside the document that it replaces', async () => {
  const task = await submitted();
  const post = (form: FormData, actor: Actor = sam) =>
    apiAs(actor)('POST', `/api/client-center/v3/tasks/${task.taskId}/versions`, { form });
  const formWith = (name: string, submission: string): FormData => {
    const form = filesForm();
    form.append('submission', submission);
    form.append(`version:${SECOND}`, '');
    form.append(`file:${SECOND}`, new Blob([new Uint8Array(pdf(name))]), name);
    return form;
  };
  expect((await post(formWith('letter v3.pdf', '1'), ada)).status).toBe(403);
  expect((await post(formWith('letter v3.pdf', '7'))).status).toBe(409);
  const refused = await post(formWith('letter.exe', '1'));
  expect(await refused.json()).toMatchObject({
    data: { documentIds: [], refused: [{ name: 'letter.exe' }] },
  });
  expect((await taskOf(ada, task.taskId)).status).toBe('Received');
  const sent = await post(formWith('letter v3.pdf', '1'));
  expect(sent.status).toBe(200);
  expect((await taskOf(ada, task.taskId)).status).toBe('WIP');
  expect(await shown(task)).toEqual([
    ['accounts.pdf', 'Approve', ['accounts.pdf']],
    ['letter v3.pdf', '', ['letter v3.pdf']],
  ]);
  const stored = await db()
    .selectFrom('documents')
    .select(['container_id', 'created_by'])
    .where('name', '=', 'letter v3.pdf')
    .execute();
  expect(stored).toEqual([{ container_id: projectA.id, created_by: sam.contactId }]);
});
