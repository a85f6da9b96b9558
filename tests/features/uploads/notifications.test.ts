import http from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { createProject } from '#features/documents/folders/folders.server.ts';
import { listDocumentsIn } from '#features/documents/documents/documents.server.ts';
import { trashDocument } from '#features/documents/trash/trash.server.ts';
import { documentQuery, type Document } from '#features/documents/documents/documents.ts';
import type { Container } from '#features/documents/folders/folders.ts';
import { finishUpload, startUpload, takePart } from '#features/documents/uploads/parts.server.ts';
import { decideAccess } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { at, DAY, MINUTE, now, SECOND } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, filesForm, listenAs, seen } from '../../support/api.ts';
import { withPages } from '../../support/mail-links.ts';
import {
  client,
  uploadAs,
  makeCast,
  startMailServer,
  pdf,
  person,
  type ReceivedMail,
} from '../../support/cast.ts';

const { ada, ben, cleo, sam, zoe, firmOne, projectA, projectB } = await makeCast();
const paula = await person(firmOne, 'Paula Sá', 'paula@one.example', { language: 'pt-BR' });
const barred = await person(firmOne, 'Bar Red', 'barred@one.example');
await decideAccess(firmOne, barred.contactId, { kind: 'permission', name: 'DefaultClient' }, false);
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

let counter = 0;
/** A project of Ada, Paula and a contact without access to the portal, with no notifications yet. */
async function freshProject(): Promise<Container> {
  counter += 1;
  return createProject(sam, {
    clientId: await client(firmOne, `UploadNotifications ${counter}`, `AR-${counter}`, [ada, paula, barred]),
    name: 'Papers',
  });
}
/** Delivers the mails after no upload has come for a while. */
const deliverWhenQuiet = (): Promise<ReceivedMail[]> => at(now() + MINUTE, () => mailServer.deliver());
const upload = (actor: Actor, project: Container, names: readonly string[], query = '') =>
  apiAs(actor)('POST', `/api/storage/v1/projects/${project.id}/documents${query}`, {
    form: filesForm(...names.map((name) => [name, pdf(name)] as const)),
  });
const idsOf = async (answer: Promise<Response>) =>
  ((await (await answer).json()) as { data: Document[] }).data.map(({ id }) => id);
const announce = async (
  actor: Actor,
  project: { id: string },
  documentIds: readonly string[],
  containerType = 'Project',
) =>
  apiAs(actor)('POST', '/api/storage/v1/notifications/documents/upload', {
    json: { containerType, containerId: project.id, documentIds },
  });
const announcedCount = async (answer: Promise<Response>) =>
  ((await (await answer).json()) as { data: { documents: number } }).data.documents;
const subjects = (mails: ReceivedMail[]) =>
  mails.map(({ recipients, mail }) => `${recipients.join()}: ${mail.subject}`).toSorted();

test('staff are notified of uploads by a contact, with the file names and a link to the folder', async () => {
  const project = await freshProject();
  await upload(ada, project, ['Bill one.pdf', 'Bill two.pdf']);
  const mails = await deliverWhenQuiet();
  expect(subjects(mails)).toEqual([`sam@one.example: 2 new documents from UploadNotifications ${counter}`]);
  expect(mails[0]?.mail.text).toContain(
    `Uploaded by Ada Amber to Papers for UploadNotifications ${counter}:`,
  );
  expect(mails[0]?.mail.text).toContain('- Bill one.pdf\n\n- Bill two.pdf');
  expect(await withPages(mails[0]?.mail.text)).toContain(
    `/clientcenter/en-us/documents?firm=${sam.companyId}&client=${project.clientId}&folder=${project.id}`,
  );
});

test('contacts of the client are notified of uploads by staff, each in their language, except those without access', async () => {
  const project = await freshProject();
  const [id] = await idsOf(upload(sam, project, ['Return.pdf']));
  const mails = await deliverWhenQuiet();
  expect(subjects(mails)).toEqual([
    'ada@one.example: New from Maple & Hart: Return.pdf',
    'paula@one.example: Novo documento de Maple & Hart: Return.pdf',
  ]);
  // A single document opens at once.
  for (const { mail } of mails)
    expect(await withPages(mail.text)).toContain(
      `/documents/${id}?firm=${sam.companyId}&client=${project.clientId}`,
    );
});

test('a notification about a document outside any folder names the client once', async () => {
  const { clientId } = await freshProject();
  const form = filesForm(['Top.pdf', pdf('Top.pdf')]);
  const answer = await apiAs(sam)('POST', `/api/storage/v1/folders/${clientId}/documents`, { form });
  expect(answer.status).toBe(200);
  const mail = (await deliverWhenQuiet()).find(({ recipients }) => recipients.includes('ada@one.example'));
  expect(mail?.mail.text).toContain(`Published by Sam Staff for UploadNotifications ${counter}:`);
});

test('with notify=false nobody is notified until requested, then once for all and never twice for a document', async () => {
  const project = await freshProject();
  const ids = [
    ...(await idsOf(upload(ada, project, ['A.pdf'], '?notify=false'))),
    ...(await idsOf(upload(ada, project, ['B.pdf'], '?notify=false'))),
  ];
  expect(await deliverWhenQuiet()).toEqual([]);
  expect([
    await announcedCount(announce(ada, project, [...ids, ...ids])),
    await announcedCount(announce(ada, project, ids)),
  ]).toEqual([2, 0]);
  const mails = await deliverWhenQuiet();
  expect([subjects(mails), mails[0]?.mail.text?.includes('- A.pdf\n\n- B.pdf')]).toEqual([
    [`sam@one.example: 2 new documents from UploadNotifications ${counter}`],
    true,
  ]);
  await at(now() + DAY / 2, () => announce(ada, project, ids));
  expect(await at(now() + DAY, () => mailServer.deliver())).toEqual([]);
});

test('uploads to two folders from both sides at once notify each side of its documents, and of all of them', async () => {
  const [one, two] = [await freshProject(), await freshProject()];
  for (const [actor, project, name] of [
    [ada, one, 'One of Ada.pdf'],
    [ada, two, 'Two of Ada.pdf'],
    [sam, one, 'One of Sam.pdf'],
    [sam, two, 'Two of Sam.pdf'],
  ] as const)
    await upload(actor, project, [name]);
  const named = (await deliverWhenQuiet()).map(
    ({ recipients, mail }) => `${recipients.join()}: ${mail.text?.match(/- (One|Two) of \w+/g)?.join()}`,
  );
  const toContacts = ['- One of Sam', '- Two of Sam'].flatMap((name) => [
    `ada@one.example: ${name}`,
    `paula@one.example: ${name}`,
  ]);
  expect(named.toSorted()).toEqual(
    [...toContacts, 'sam@one.example: - One of Ada', 'sam@one.example: - Two of Ada'].toSorted(),
  );
});

test('consecutive uploads are announced in one mail, half a minute after the last', async () => {
  const project = await freshProject();
  const start = now() + 10 * DAY;
  const sent = async (seconds: number) =>
    subjects(await at(start + seconds * SECOND, () => mailServer.deliver()));
  for (const seconds of [0, 20, 40])
    await at(start + seconds * SECOND, () => upload(ada, project, [`at ${seconds}.pdf`]));
  expect([await sent(41), await sent(69)]).toEqual([[], []]);
  expect(await sent(70)).toEqual([`sam@one.example: 3 new documents from UploadNotifications ${counter}`]);
  // Uploads by staff in between are announced to other people.
  await at(start + 80 * SECOND, () => upload(sam, project, ['From the firm.pdf']));
  expect(await sent(110)).toHaveLength(2);
});

test('continuous uploads are announced after five minutes at the latest, each document once', async () => {
  const project = await freshProject();
  const start = now() + 10 * DAY;
  const counts: number[] = [];
  for (let second = 0; second <= 1200; second += 20) {
    if (second < 660) await at(start + second * SECOND, () => upload(ada, project, [`at ${second}.pdf`]));
    const mails = await at(start + second * SECOND, () => mailServer.deliver());
    counts.push(...mails.map(({ mail }) => Number(mail.subject?.split(' ')[0])));
  }
  expect([counts.length, counts.reduce((sum, count) => sum + count, 0)]).toEqual([2, 33]);
});

test('the next upload notification follows the previous one after five minutes at the earliest', async () => {
  const project = await freshProject();
  const start = now() + 10 * DAY;
  const sent = async (instant: number) => subjects(await at(instant, () => mailServer.deliver()));
  await at(start, () => upload(ada, project, ['1.pdf']));
  expect(await sent(start + MINUTE)).toHaveLength(1);
  for (const minute of [2, 3, 4])
    await at(start + minute * MINUTE, () => upload(ada, project, [`at ${minute}.pdf`]));
  expect(await sent(start + 5 * MINUTE)).toEqual([]);
  expect(await sent(start + 6 * MINUTE)).toEqual([
    `sam@one.example: 3 new documents from UploadNotifications ${counter}`,
  ]);
});

test('an upload notification has the final name of a document, also when its name was taken', async () => {
  const project = await freshProject();
  for (const content of ['first', 'second']) {
    const form = filesForm(['scan.pdf', pdf(content)]);
    await apiAs(ada)('POST', `/api/storage/v1/projects/${project.id}/documents?onConflict=rename`, { form });
  }
  const [message] = await deliverWhenQuiet();
  expect(message?.mail.text).toContain('- scan (1).pdf\n\n- scan.pdf');
});

test('files received completely are announced even if the connection broke before the rest', async () => {
  const project = await freshProject();
  const { port, close } = await listenAs(ada);
  const path = `/api/storage/v1/projects/${project.id}/documents`;
  const request = http.request({
    port,
    method: 'POST',
    path,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  });
  request.on('error', () => undefined); // the connection breaks
  const head = (name: string) =>
    `--b\r\nContent-Disposition: form-data; name="file[]"; filename="${name}"\r\n\r\n`;
  request.write(`${head('Whole.pdf')}${pdf('whole').toString()}\r\n${head('Half.pdf')}%PDF-1.7`);
  await expect
    .poll(async () => (await listDocumentsIn(ada, 'Project', project.id, documentQuery.parse({}))).total)
    .toBe(1);
  request.destroy();
  await close();
  const [message] = await deliverWhenQuiet();
  expect(message?.mail.text).toContain('- Whole.pdf');
});

test('resumable uploads are announced', async () => {
  const project = await freshProject();
  const filename = 'In parts.pdf';
  const whole = pdf(filename);
  const { uploadId } = await startUpload(ada, whole.length, {
    filename,
    containerType: 'Project',
    containerId: project.id,
    onConflict: 'fail',
  });
  await takePart(ada, uploadId, {
    offset: 0,
    bytes: Readable.from([Buffer.from(whole)], { objectMode: false }),
  });
  await finishUpload(ada, uploadId);
  expect((await deliverWhenQuiet())[0]?.mail.text).toContain('- In parts.pdf');
});

test('requesting a notification for announced uploads sends no second mail', async () => {
  const project = await freshProject();
  const ids = await idsOf(upload(ada, project, ['Hinted.pdf']));
  expect(await announcedCount(announce(ada, project, ids))).toBe(0);
  expect(subjects(await deliverWhenQuiet())).toEqual([
    `sam@one.example: New from UploadNotifications ${counter}: Hinted.pdf`,
  ]);
});

test('a notification names twenty files and counts the rest, without those deleted meanwhile', async () => {
  const project = await freshProject();
  const names = Array.from({ length: 26 }, (_, i) => `File ${String(i).padStart(2, '0')}.pdf`);
  const ids = await idsOf(upload(ada, project, names, '?notify=false'));
  await announce(ada, project, ids);
  await trashDocument(ada, { containerType: 'Project', containerId: project.id }, ids[3] ?? '');
  const [message] = await deliverWhenQuiet();
  expect(message?.mail.subject).toBe(`25 new documents from UploadNotifications ${counter}`);
  expect(message?.mail.text?.match(/File \d\d/g)).toHaveLength(20);
  expect(message?.mail.text).toContain('- and 5 more');
  expect(message?.mail.text).not.toContain('File 03');
});

test("only one's own uploads of the last day to one accessible client are announced", async () => {
  const project = await freshProject();
  const [mine, staffs, old] = [
    await uploadAs(ada, project, 'Mine.pdf', '1'),
    await uploadAs(sam, project, 'Staff.pdf', '2'),
    await at(now() - 2 * DAY, () => uploadAs(ada, project, 'Old.pdf', '3')),
  ];
  const [foreign, elsewhere] = [
    await uploadAs(ben, projectB, 'Foreign.pdf', '4'),
    await uploadAs(ada, projectA, 'Mine of another client.pdf', '5'),
  ];
  expect(
    await announcedCount(announce(ada, project, [staffs.id, old.id, foreign.id, elsewhere.id, 'doc_none'])),
  ).toBe(0);
  for (const stranger of [ben, zoe, cleo])
    expect(await seen(await announce(stranger, project, [mine.id]))).toEqual(
      await seen(await announce(stranger, { id: 'project_none' }, [mine.id])),
    );
  expect((await announce(ada, project, [mine.id], 'Folder')).status).toBe(404);
  const empty = { id: await client(firmOne, 'Empty', 'E-1', [ada]) };
  expect(await announcedCount(announce(ada, empty, [mine.id], 'Client'))).toBe(0);
  for (const stranger of [ben, zoe, cleo])
    expect((await announce(stranger, empty, [mine.id], 'Client')).status).toBe(404);
  expect(await deliverWhenQuiet()).toEqual([]);
  expect(await announcedCount(announce(ada, { id: project.clientId }, [mine.id], 'Client'))).toBe(1);
  expect(subjects(await deliverWhenQuiet())).toHaveLength(1);
});

test('addresses in the request are refused, and mails wait while the firm is locked', async () => {
  const project = await freshProject();
  const [id = ''] = await idsOf(upload(ada, project, ['Locked.pdf'], '?notify=false'));
  const answer = await apiAs(ada)('POST', '/api/storage/v1/notifications/documents/upload', {
    json: {
      containerType: 'Project',
      containerId: project.id,
      documentIds: [id],
      recipients: ['me@out.example'],
    },
  });
  expect(answer.status).toBe(422);
  await announce(ada, project, [id]);
  await db().updateTable('firms').set({ locked: 1 }).where('company_id', '=', firmOne).execute();
  expect(await deliverWhenQuiet()).toEqual([]);
  await db().updateTable('firms').set({ locked: 0 }).where('company_id', '=', firmOne).execute();
  expect(await deliverWhenQuiet()).toHaveLength(1);
});

test('a plain form notifies once for all of its files', async () => {
  const project = await freshProject();
  const answer = await upload(
    ada,
    project,
    ['Form 1.pdf', 'Form 2.pdf', 'bad.exe'],
    '?onConflict=rename&r=/clientcenter/en-us/documents',
  );
  expect([answer.status, subjects(await deliverWhenQuiet())]).toEqual([
    303,
    [`sam@one.example: 2 new documents from UploadNotifications ${counter}`],
  ]);
});

test('nobody is notified of documents that have all been deleted meanwhile', async () => {
  const project = await freshProject();
  const [id = ''] = await idsOf(upload(ada, project, ['Gone.pdf'], '?notify=false'));
  expect(await announcedCount(announce(ada, project, [id]))).toBe(1);
  await trashDocument(ada, { containerType: 'Project', containerId: project.id }, id);
  expect(await deliverWhenQuiet()).toEqual([]);
});
