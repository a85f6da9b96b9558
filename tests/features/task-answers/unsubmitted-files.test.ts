import { expect, test } from 'vitest';
import type { Actor } from '#features/base/people/people.ts';
import { removeFromTask } from '#features/tasks/task-answers/files.server.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { ownTask } from '#features/tasks/tasks/own-questions.server.ts';
import type { Task } from '#features/tasks/tasks/tasks.ts';
import { chosenToDelete, restoreDocuments, trashDocuments } from '#features/documents/trash/trash.server.ts';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { listReceipts } from '#features/base/receipts/receipts.server.ts';
import { namesOf } from '#platform/runtime/names.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, filesForm } from '../../support/api.ts';
import { makeCast, pdf } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/*
 * What a client uploads to answer a task is the client's until it is submitted: until then the firm sees how far they
 * are, and no name, id or byte of a file.
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

async function send({ taskId }: Task, name: string): Promise<string> {
  const form = filesForm();
  form.append(`files:${FILES}`, new Blob([new Uint8Array(pdf(name))]), name);
  const answer = await apiAs(ada)('POST', `/api/client-center/v3/tasks/${taskId}/sections/request`, { form });
  const { data } = (await answer.json()) as { data: { documentIds: string[] } };
  return data.documentIds[0] ?? '';
}

/** Everything that a person can ask for about the documents of the client. */
async function seenBy(actor: Actor, id: string): Promise<string> {
  const base = '/api/storage/v1';
  const { container_id: folder } = await db()
    .selectFrom('documents')
    .select('container_id')
    .where('document_id', '=', id)
    .executeTakeFirstOrThrow();
  const lists = [
    `${base}/containers/documents?clientId=${clientA}`,
    `${base}/containers/documents?clientId=${clientA}&name=secret`,
    `${base}/containers/documents?clientId=${clientA}&uploadedBy=client`,
    `${base}/containers/documents?customFields=ccStep:request&clientId=${clientA}`,
    `${base}/documents/trash?clientId=${clientA}`,
  ];
  const answers = await Promise.all(lists.map((list) => apiAs(actor)('GET', list)));
  expect(answers.map(({ status }) => status)).toEqual(lists.map(() => 200));
  const itself = await apiAs(actor)('GET', `${base}/projects/${folder}/documents/${id}`);
  const inbox = actor.staff ? (await listInbox(actor, inboxQuery.parse({ of: 'all' }))).items : [];
  const names = await namesOf([id], { lang: 'en-us', contactId: actor.staff ? undefined : actor.contactId });
  return [
    ...(await Promise.all(answers.map((answer) => answer.text()))),
    itself.status === 404 ? '' : await itself.text(),
    JSON.stringify(inbox),
    ...names.values(),
    JSON.stringify((await listReceipts(actor, clientA)).receipts),
  ].join('\n');
}

/** How many documents the lists and the folders of the client say that there are. */
async function totals(actor: Actor): Promise<{ listed: number; counted: number }> {
  const dataOf = async <Data>(address: string): Promise<Data> =>
    ((await (await apiAs(actor)('GET', address)).json()) as { data: Data }).data;
  const list = await dataOf<{ total: number; items: unknown[] }>(
    `/api/storage/v1/containers/documents?clientId=${clientA}`,
  );
  expect(list.total, 'a list is as long as it says').toBe(list.items.length);
  const tree = await dataOf<{ documentCount: number }[]>(
    `/api/storage/v1/containers/tree?clientId=${clientA}`,
  );
  return { listed: list.total, counted: tree.reduce((sum, { documentCount }) => sum + documentCount, 0) };
}

test('the firm sees a file of an answer once it is submitted, and not when it is taken back', async () => {
  const task = await ask();
  const before = await totals(sam);
  const id = await send(task, 'secret-plan.pdf');
  expect(await seenBy(sam, id)).not.toContain('secret-plan');
  expect(await totals(sam)).toEqual(before);
  expect(await seenBy(ada, id)).toContain('"isNotSubmitted":true');
  expect(await seenBy(cleo, id), 'another contact of the client').toContain('secret-plan.pdf');

  await performAction(ada, task.taskId, 'submit');
  expect(await seenBy(sam, id)).toContain('secret-plan.pdf');
  expect(await seenBy(ada, id)).not.toContain('isNotSubmitted');
  const after = await totals(sam);
  expect(after).toEqual({ listed: before.listed + 1, counted: before.counted + 1 });

  await performAction(ada, task.taskId, 'take-back');
  expect(await seenBy(sam, id)).not.toContain('secret-plan');
  await performAction(ada, task.taskId, 'submit');
  expect(await seenBy(sam, id)).toContain('secret-plan.pdf');
});

test('after a return the firm keeps what it had, and does not see what is new until it is submitted again', async () => {
  const task = await ask();
  const first = await send(task, 'secret-first.pdf');
  await performAction(ada, task.taskId, 'submit');
  await performAction(sam, task.taskId, 'return', { reason: 'All pages, please.' });
  const second = await send(task, 'secret-second.pdf');
  expect(await seenBy(sam, first)).toContain('secret-first.pdf');
  expect(await seenBy(sam, second)).not.toContain('secret-second');
  await performAction(ada, task.taskId, 'submit');
  expect(await seenBy(sam, second)).toContain('secret-second.pdf');
  await performAction(ada, task.taskId, 'take-back');
  expect(await seenBy(sam, first), 'the submission before had it').toContain('secret-first.pdf');
  expect(await seenBy(sam, second)).not.toContain('secret-second');
});

test('a file that is removed from an open answer stays the client’s, in the trash, too', async () => {
  const task = await ask();
  const wrong = await send(task, 'secret-wrong.pdf');
  expect(await removeFromTask(ada, task.taskId, FILES, wrong)).toEqual({ isNotSubmitted: true });
  await send(task, 'right.pdf');
  await performAction(ada, task.taskId, 'submit');
  expect(await seenBy(sam, wrong)).not.toContain('secret-wrong');
  const { docs } = await chosenToDelete(ada, [wrong]);
  expect(await trashDocuments(ada, { docs, staffUploads: [] })).toMatchObject([{ result: 'DELETED' }]);
  expect(await seenBy(ada, wrong)).toContain('secret-wrong');
  expect(await seenBy(sam, wrong)).not.toContain('secret-wrong');
  await restoreDocuments(ada, [wrong]);
  expect(await seenBy(sam, wrong), 'nor when it is restored').not.toContain('secret-wrong');
});

test('comments on what is not submitted are not announced to the firm', async () => {
  const task = await ask();
  const id = await send(task, 'secret-draft.pdf');
  const waiting = () => db().selectFrom('jobs').select('job_id').where('kind', '=', 'comments').execute();
  const comment = async (documentId: string): Promise<void> => {
    const json = { documentId, text: 'Is this the right one?' };
    expect((await apiAs(ada)('POST', '/api/notes/v1/comments/', { json })).status).toBe(200);
  };
  await comment(id);
  expect(await waiting()).toEqual([]);
  expect(await seenBy(sam, id)).not.toContain('secret-draft');
  await performAction(ada, task.taskId, 'submit');
  await comment(id);
  expect(await waiting()).toHaveLength(1);
});
