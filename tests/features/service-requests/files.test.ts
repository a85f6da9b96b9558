import { expect, test } from 'vitest';
import { changeAccess, setFlag } from '#features/base/access/access.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { listReceipts } from '#features/base/receipts/receipts.server.ts';
import { performAction } from '#features/brazil/service-requests/acting.server.ts';
import { beginRequest } from '#features/brazil/service-requests/beginning.server.ts';
import { uploadWithReply } from '#features/brazil/service-requests/files.server.ts';
import { saveSection } from '#features/brazil/service-requests/saving.server.ts';
import { namesOf } from '#platform/runtime/names.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, filesForm } from '../../support/api.ts';
import { makeCast, pdf, person } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/*
 * Files of service requests are payroll data: besides the staff, only those contacts of the client see them who have
 * requests of that kind. To the others they do not exist: no name, id, byte or count.
 */

const { firmOne, ada, cleo, sam, clientA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
await setFlag(olga, 'ServiceRequest.Denied', false);
const deny = (to: 'granted' | 'usual'): Promise<void> =>
  changeAccess(olga, { contact: cleo.contactId, kind: 'flag', name: 'ServiceRequest.Denied', to });
await deny('granted');
const [asker, other] = [await actorOf(ada.contactId), await actorOf(cleo.contactId)];

const base = '/api/storage/v1';

const folderOf = async (id: string): Promise<string> =>
  (
    await db()
      .selectFrom('documents')
      .select('container_id')
      .where('document_id', '=', id)
      .executeTakeFirstOrThrow()
  ).container_id;

/** Everything that a person can ask for about the documents of the client. */
async function seenBy(actor: Actor, id: string): Promise<string> {
  const lists = [
    `${base}/containers/documents?clientId=${clientA}`,
    `${base}/containers/documents?clientId=${clientA}&name=payslip`,
    `${base}/documents/trash?clientId=${clientA}`,
  ];
  const answers = await Promise.all(lists.map((list) => apiAs(actor)('GET', list)));
  expect(answers.map(({ status }) => status)).toEqual(lists.map(() => 200));
  const itself = await apiAs(actor)('GET', `${base}/projects/${await folderOf(id)}/documents/${id}`);
  const names = await namesOf([id], { lang: 'en-us', contactId: actor.staff ? undefined : actor.contactId });
  return [
    ...(await Promise.all(answers.map((answer) => answer.text()))),
    itself.status === 404 ? '' : await itself.text(),
    ...names.values(),
    JSON.stringify((await listReceipts(actor, clientA)).receipts),
  ].join('\n');
}

/** How many documents the list and the folders of the client say that there are. */
async function totals(actor: Actor): Promise<{ listed: number; counted: number }> {
  const dataOf = async <Data>(address: string): Promise<Data> =>
    ((await (await apiAs(actor)('GET', address)).json()) as { data: Data }).data;
  const list = await dataOf<{ total: number }>(`${base}/containers/documents?clientId=${clientA}`);
  const tree = await dataOf<{ documentCount: number }[]>(`${base}/containers/tree?clientId=${clientA}`);
  return { listed: list.total, counted: tree.reduce((sum, { documentCount }) => sum + documentCount, 0) };
}

/** A general request with a file, which is sent. */
async function sentWith(name: string): Promise<{ requestId: string; documentId: string }> {
  const requestId = await beginRequest(asker, { clientId: clientA, type: 'generalRequests' });
  const form = new FormData();
  form.append('request.subject', 'Holerite');
  form.append('request.department', 'payroll');
  form.append('request.text', name);
  await saveSection(asker, requestId, { section: 'request', form, lang: 'pt' });
  const files = filesForm();
  files.append('files:request.files', new Blob([new Uint8Array(pdf(name))]), name);
  const answer = await apiAs(asker)(
    'POST',
    `/api/service-request/v1/requests/${requestId}/sections/request`,
    {
      form: files,
    },
  );
  const { data } = (await answer.json()) as { data: { documentIds: string[] } };
  await performAction(asker, requestId, 'submit');
  return { requestId, documentId: data.documentIds[0] ?? '' };
}

test('a file of a request is seen by the firm and by those who have requests, and by nobody else', async () => {
  const before = await totals(other);
  const { documentId } = await sentWith('payslip-ada.pdf');
  expect(await seenBy(asker, documentId)).toContain('payslip-ada.pdf');
  expect(await seenBy(sam, documentId)).toContain('payslip-ada.pdf');
  expect(await seenBy(other, documentId)).not.toContain('payslip-ada');
  expect(await totals(other)).toEqual(before);
  expect(await totals(asker)).toEqual({ listed: before.listed + 1, counted: before.counted + 1 });
});

test('a file that the firm replies with is for the same people', async () => {
  const { requestId } = await sentWith('payslip-question.pdf');
  const file = new File([new Uint8Array(pdf('payslip-reply'))], 'payslip-reply.pdf');
  const documentId = await uploadWithReply(sam, requestId, file);
  await performAction(sam, requestId, 'reply', { text: 'Segue.', documentIds: [documentId] });
  expect(await seenBy(asker, documentId)).toContain('payslip-reply.pdf');
  expect(await seenBy(other, documentId)).not.toContain('payslip-reply');
});

test('a file of a kind that is closed to a contact is not theirs to see either', async () => {
  const { documentId } = await sentWith('payslip-kind.pdf');
  await db()
    .updateTable('documents')
    .set({ audience: 'service-request/intern-registration' })
    .where('document_id', '=', documentId)
    .execute();
  await deny('usual');
  await setFlag(olga, 'ServiceRequest.Intern', false);
  expect(await seenBy(await actorOf(cleo.contactId), documentId)).not.toContain('payslip-kind');
  await setFlag(olga, 'ServiceRequest.Intern', true);
  expect(await seenBy(await actorOf(cleo.contactId), documentId)).toContain('payslip-kind.pdf');
  await deny('granted');
});

test('a copy of a file is for the same people as the file', async () => {
  const { documentId } = await sentWith('payslip-copied.pdf');
  const json = {
    documentIds: [documentId],
    containerId: await folderOf(documentId),
    containerType: 'Project',
  };
  expect((await apiAs(asker)('POST', `${base}/items/copy`, { json })).status).toBe(200);
  const copies = await db()
    .selectFrom('documents')
    .select(['document_id', 'audience'])
    .where('name', 'like', 'payslip-copied%')
    .execute();
  expect(copies).toHaveLength(2);
  expect(copies.map(({ audience }) => audience)).toEqual([
    'service-request/general-requests',
    'service-request/general-requests',
  ]);
  expect(await seenBy(other, documentId)).not.toContain('payslip-copied');
});
