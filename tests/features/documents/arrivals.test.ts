import { afterAll, expect, test } from 'vitest';
import { createProject, trashDocument } from '#features/documents/documents.server.ts';
import type { Container, Document } from '#features/documents/documents.ts';
import { decideAccess } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { at, DAY, MINUTE, now } from '#platform/clock.server.ts';
import { db } from '#platform/database.server.ts';
import { apiAs, filesForm, seen } from '../../kit/api.ts';
import { client, handIn, makeCast, openPostOffice, pdf, person, type Letter } from '../../kit/cast.ts';

const { ada, ben, cleo, sam, zoe, firmOne, projectA, projectB } = await makeCast();
const paula = await person(firmOne, 'Paula Sá', 'paula@one.example', { language: 'pt-BR' });
const barred = await person(firmOne, 'Bar Red', 'barred@one.example');
await decideAccess(firmOne, barred.contactId, { kind: 'permission', name: 'DefaultClient' }, false);
const post = await openPostOffice();
afterAll(() => post.close());

let counter = 0;
/** A project of Ada, Paula and one who may not enter, of which nobody was told yet. */
async function freshProject(): Promise<Container> {
  counter += 1;
  return createProject(sam, { clientId: await client(firmOne, `Arrivals ${counter}`, `AR-${counter}`, [ada, paula, barred]), name: 'Papers' });
}
const upload = (actor: Actor, project: Container, names: readonly string[], query = '') => apiAs(actor)('POST', `/api/storage/v1/projects/${project.id}/documents${query}`, { form: filesForm(...names.map((name) => [name, pdf(name)] as const)) });
const idsOf = async (answer: Promise<Response>) => ((await (await answer).json()) as { data: Document[] }).data.map(({ id }) => id);
const announce = async (actor: Actor, project: { id: string }, documentIds: readonly string[], containerType = 'Project') => apiAs(actor)('POST', '/api/storage/v1/notifications/documents/upload', { json: { containerType, containerId: project.id, documentIds } });
const told = async (answer: Promise<Response>) => ((await (await answer).json()) as { data: { documents: number } }).data.documents;
const subjects = (letters: Letter[]) => letters.map(({ recipients, mail }) => `${recipients.join()}: ${mail.subject}`).toSorted();

test('what a contact hands in the staff are told, and the names of the files stand in the mail with a link to the folder', async () => {
  const project = await freshProject();
  await upload(ada, project, ['Bill one.pdf', 'Bill two.pdf']);
  const letters = await post.deliver();
  expect(subjects(letters)).toEqual([`sam@one.example: 2 new documents from Arrivals ${counter}`]);
  expect(letters[0]?.mail.text).toContain(`Handed in by Ada Amber, in Papers, for Arrivals ${counter}:`);
  expect(letters[0]?.mail.text).toContain('- Bill one.pdf\n\n- Bill two.pdf');
  expect(letters[0]?.mail.text).toContain(`/clientcenter/en-us/documents?client=${project.clientId}&folder=${project.id}`);
});

test('what staff hand in the contacts of the client are told, each in their language; nobody who may not enter', async () => {
  const project = await freshProject();
  await upload(sam, project, ['Return.pdf']);
  expect(subjects(await post.deliver())).toEqual(['ada@one.example: 1 new document from Maple & Hart', 'paula@one.example: 1 novo documento de Maple & Hart']);
});

test('with notify=false nobody is told until it is asked for, once for all, and of no document twice', async () => {
  const project = await freshProject();
  const ids = [...(await idsOf(upload(ada, project, ['A.pdf'], '?notify=false'))), ...(await idsOf(upload(ada, project, ['B.pdf'], '?notify=false')))];
  expect(await post.deliver()).toEqual([]);
  expect([await told(announce(ada, project, [...ids, ...ids])), await told(announce(ada, project, ids))]).toEqual([2, 0]);
  const letters = await post.deliver();
  expect([subjects(letters), letters[0]?.mail.text?.includes('- A.pdf\n\n- B.pdf')]).toEqual([[`sam@one.example: 2 new documents from Arrivals ${counter}`], true]);
  await at(now() + DAY / 2, () => announce(ada, project, ids));
  expect(await at(now() + DAY, () => post.deliver())).toEqual([]);
});

test('of what waits in two folders from both sides at once, each is told what is for them, and all of it', async () => {
  const [one, two] = [await freshProject(), await freshProject()];
  for (const [actor, project, name] of [[ada, one, 'One of Ada.pdf'], [ada, two, 'Two of Ada.pdf'], [sam, one, 'One of Sam.pdf'], [sam, two, 'Two of Sam.pdf']] as const) await upload(actor, project, [name]);
  const named = (await post.deliver()).map(({ recipients, mail }) => `${recipients.join()}: ${mail.text?.match(/(One|Two) of \w+/g)?.join()}`);
  const toContacts = ['One of Sam', 'Two of Sam'].flatMap((name) => [`ada@one.example: ${name}`, `paula@one.example: ${name}`]);
  expect(named.toSorted()).toEqual([...toContacts, 'sam@one.example: One of Ada', 'sam@one.example: Two of Ada'].toSorted());
});

test('what comes within five minutes of a mail stands together in the next', async () => {
  const project = await freshProject();
  const start = now() + 10 * DAY;
  const sent = async (instant: number) => subjects(await at(instant, () => post.deliver()));
  await at(start, () => upload(ada, project, ['1.pdf']));
  expect(await sent(start)).toHaveLength(1);
  for (const minute of [1, 2, 3]) await at(start + minute * MINUTE, () => upload(ada, project, [`at ${minute}.pdf`]));
  expect(await sent(start + 4 * MINUTE)).toEqual([]);
  expect(await sent(start + 5 * MINUTE)).toEqual([`sam@one.example: 3 new documents from Arrivals ${counter}`]);
  // What the firm hands in meanwhile goes to others, at once.
  await at(start + 6 * MINUTE, () => upload(sam, project, ['From the firm.pdf']));
  expect(await sent(start + 6 * MINUTE)).toHaveLength(2);
});

test('twenty files are named, the others counted; what is in the trash by then is not', async () => {
  const project = await freshProject();
  const names = Array.from({ length: 26 }, (_, i) => `File ${String(i).padStart(2, '0')}.pdf`);
  const ids = await idsOf(upload(ada, project, names, '?notify=false'));
  await announce(ada, project, ids);
  await trashDocument(ada, { containerType: 'Project', containerId: project.id }, ids[3] ?? '');
  const [letter] = await post.deliver();
  expect(letter?.mail.subject).toBe(`25 new documents from Arrivals ${counter}`);
  expect(letter?.mail.text?.match(/File \d\d/g)).toHaveLength(20);
  expect(letter?.mail.text).toContain('- and 5 more');
  expect(letter?.mail.text).not.toContain('File 03');
});

test('only what the caller handed in themselves in the last day is announced, of one client, where they see it', async () => {
  const project = await freshProject();
  const [mine, staffs, old] = [await handIn(ada, project, 'Mine.pdf', '1'), await handIn(sam, project, 'Staff.pdf', '2'), await at(now() - 2 * DAY, () => handIn(ada, project, 'Old.pdf', '3'))];
  const [foreign, elsewhere] = [await handIn(ben, projectB, 'Foreign.pdf', '4'), await handIn(ada, projectA, 'Mine of another client.pdf', '5')];
  expect(await told(announce(ada, project, [staffs.id, old.id, foreign.id, elsewhere.id, 'doc_none']))).toBe(0);
  for (const stranger of [ben, zoe, cleo]) expect(await seen(await announce(stranger, project, [mine.id]))).toEqual(await seen(await announce(stranger, { id: 'project_none' }, [mine.id])));
  expect((await announce(ada, project, [mine.id], 'Folder')).status).toBe(404);
  const empty = { id: await client(firmOne, 'Empty', 'E-1', [ada]) };
  expect(await told(announce(ada, empty, [mine.id], 'Client'))).toBe(0);
  for (const stranger of [ben, zoe, cleo]) expect((await announce(stranger, empty, [mine.id], 'Client')).status).toBe(404);
  expect(await post.deliver()).toEqual([]);
  expect(await told(announce(ada, { id: project.clientId }, [mine.id], 'Client'))).toBe(1);
  expect(subjects(await post.deliver())).toHaveLength(1);
});

test('addresses of the request are refused, and a mail waits while the firm is locked', async () => {
  const project = await freshProject();
  const [id = ''] = await idsOf(upload(ada, project, ['Locked.pdf'], '?notify=false'));
  const answer = await apiAs(ada)('POST', '/api/storage/v1/notifications/documents/upload', { json: { containerType: 'Project', containerId: project.id, documentIds: [id], recipients: ['me@out.example'] } });
  expect(answer.status).toBe(422);
  await announce(ada, project, [id]);
  await db().updateTable('firms').set({ locked: 1 }).where('company_id', '=', firmOne).execute();
  expect(await post.deliver()).toEqual([]);
  await db().updateTable('firms').set({ locked: 0 }).where('company_id', '=', firmOne).execute();
  expect(await post.deliver()).toHaveLength(1);
});

test('a plain form tells once for all of its files', async () => {
  const project = await freshProject();
  const answer = await upload(ada, project, ['Form 1.pdf', 'Form 2.pdf', 'bad.exe'], '?onConflict=rename&r=/clientcenter/en-us/documents');
  expect([answer.status, subjects(await post.deliver())]).toEqual([303, [`sam@one.example: 2 new documents from Arrivals ${counter}`]]);
});

test('of documents that are all in the trash by then nobody is told', async () => {
  const project = await freshProject();
  const [id = ''] = await idsOf(upload(ada, project, ['Gone.pdf'], '?notify=false'));
  expect(await told(announce(ada, project, [id]))).toBe(1);
  await trashDocument(ada, { containerType: 'Project', containerId: project.id }, id);
  expect(await post.deliver()).toEqual([]);
});
