import { afterAll, expect, test } from 'vitest';
import { verify } from '#platform/database/verification.server.ts';
import { purgeDocuments, restoreDocuments, trashDocument } from '#features/documents/trash/trash.server.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import { addComment, listComments } from '#features/documents/comments/comments.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { at, HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, impersonating, seen } from '../../support/api.ts';
import { everyRow, uploadAs, makeCast, startMailServer, person, unlink } from '../../support/cast.ts';
import { withPages } from '../../support/mail-links.ts';
import '../../../src/app.server.ts';

const { ada, ben, cleo, sam, zoe, clientA, projectA, firmOne } = await makeCast();
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
const camille = await person(firmOne, 'Camille Roy', 'camille@one.example', { language: 'fr-CA' });
await db()
  .insertInto('client_contacts')
  .values({ client_id: clientA, contact_id: camille.contactId })
  .execute();

let counter = 0;
const paper = (by: Actor = ada): Promise<Document> =>
  uploadAs(by, projectA, `Paper ${(counter += 1)}.pdf`, 'paper');
const say = (actor: Actor, documentId: string, text = 'Fine?') =>
  apiAs(actor)('POST', '/api/notes/v1/comments/', { json: { documentId, text } });
const list = async (actor: Actor, documentId: string) =>
  (await apiAs(actor)('GET', `/api/notes/v1/comments?documentId=${documentId}`)).json() as Promise<{
    data: {
      items: {
        id: string;
        text: string;
        createdBy: string;
        role: string;
        permissions: { delete: boolean };
      }[];
      total: number;
    };
  }>;
const remove = (actor: Actor, id: string) => apiAs(actor)('DELETE', `/api/notes/v1/comments/${id}`);
const idIn = async (answer: Promise<Response>) =>
  ((await (await answer).json()) as { data: { id: string } }).data.id;
const countOf = async (actor: Actor, { id, parent }: Document) => {
  const page = (await (
    await apiAs(actor)('GET', `/api/storage/v1/projects/${parent.id}/documents`)
  ).json()) as { data: { items: { id: string; commentsCount: number }[] } };
  return page.data.items.find((item) => item.id === id)?.commentsCount;
};

test('contacts and staff comment, everybody who sees the document reads the comments, oldest first, and lists show their count', async () => {
  const document = await paper();
  await at(now() - 2 * MINUTE, () => say(ada, document.id, '  Is this right?\r\nPage 2, I mean.\u0007 '));
  await at(now() - MINUTE, () => say(sam, document.id, 'Yes.'));
  const { data } = await list(cleo, document.id);
  expect(
    data.items.map(({ text, createdBy, role, permissions }) => [text, createdBy, role, permissions.delete]),
  ).toEqual([
    ['Is this right?\nPage 2, I mean.', 'Ada Amber', 'Client', false],
    ['Yes.', 'Sam Staff', 'Firm', false],
  ]);
  expect([data.total, await countOf(ada, document)]).toEqual([2, 2]);
  const counts = await apiAs(ada)('POST', '/api/notes/v1/comments/search', {
    json: ['doc_nobody', document.id, document.id],
  });
  expect(await counts.json()).toEqual({
    data: [
      { id: 'doc_nobody', count: 0 },
      { id: document.id, count: 2 },
      { id: document.id, count: 2 },
    ],
  });
});

test('comments are listed a hundred to a page', async () => {
  const document = await paper();
  for (let i = 0; i < 101; i += 1) {
    if (i % 50 === 0) await db().deleteFrom('limits').execute();
    await at(now() - HOUR + i, () => addComment(ada, { documentId: document.id, text: `${i}` }));
  }
  const [first, second] = [
    await listComments(ada, { documentId: document.id, from: 0 }),
    await listComments(ada, { documentId: document.id, from: 100 }),
  ];
  expect([
    first.items.length,
    first.items.at(-1)?.text,
    first.totalPages,
    second.pageIndex,
    second.items.map(({ text }) => text),
  ]).toEqual([100, '99', 2, 1, ['100']]);
});

test("somebody else's document answers comment calls like one that does not exist", async () => {
  const document = await paper();
  await say(ada, document.id);
  for (const stranger of [ben, zoe]) {
    expect(await seen(await say(stranger, document.id))).toEqual(
      await seen(await say(stranger, 'doc_nobody')),
    );
    expect(
      await seen(await apiAs(stranger)('GET', `/api/notes/v1/comments?documentId=${document.id}`)),
    ).toEqual(await seen(await apiAs(stranger)('GET', '/api/notes/v1/comments?documentId=doc_nobody')));
    expect(
      await (await apiAs(stranger)('POST', '/api/notes/v1/comments/search', { json: [document.id] })).json(),
    ).toEqual({ data: [{ id: document.id, count: 0 }] });
  }
});

test('only the author of a comment can withdraw it, for 15 minutes', async () => {
  const document = await paper();
  const id = await idIn(say(ada, document.id));
  expect((await list(ada, document.id)).data.items[0]?.permissions.delete).toBe(true);
  expect((await list(sam, document.id)).data.items[0]?.permissions.delete).toBe(false);
  for (const other of [cleo, sam, zoe])
    expect(await seen(await remove(other, id))).toEqual(await seen(await remove(other, 'comment_none')));
  expect((await at(now() + 16 * MINUTE, () => remove(ada, id))).status).toBe(403);
  const [answer, elsewhere] = [await idIn(say(sam, document.id)), await paper()];
  const other = await idIn(say(ada, elsewhere.id));
  expect((await at(now() + 14 * MINUTE, () => remove(ada, id))).status).toBe(200);
  expect([
    (await list(ada, document.id)).data.items.map((one) => one.id),
    await countOf(ada, document),
  ]).toEqual([[answer], 1]);
  expect((await list(ada, elsewhere.id)).data.items.map((one) => one.id)).toEqual([other]);
});

test('whoever loses the client can no longer read, write or withdraw comments', async () => {
  const dora = await person(firmOne, 'Dora Dill', 'dora@one.example');
  await db()
    .insertInto('client_contacts')
    .values({ client_id: clientA, contact_id: dora.contactId })
    .execute();
  const document = await paper();
  const id = await idIn(say(dora, document.id));
  await unlink(clientA, dora);
  expect([
    (await say(dora, document.id)).status,
    (await remove(dora, id)).status,
    (await list(ada, document.id)).data.total,
  ]).toEqual([404, 404, 1]);
});

test('comments go to the trash and come back with their document, and are removed permanently with its bytes', async () => {
  const document = await paper();
  const id = await idIn(say(ada, document.id));
  const place = { containerType: document.parent.containerType, containerId: document.parent.id };
  await trashDocument(ada, place, document.id);
  expect([
    (await say(ada, document.id)).status,
    (await apiAs(ada)('GET', `/api/notes/v1/comments?documentId=${document.id}`)).status,
    (await remove(ada, id)).status,
  ]).toEqual([404, 404, 404]);
  await restoreDocuments(ada, [document.id]);
  expect((await list(ada, document.id)).data.total).toBe(1);
  await trashDocument(ada, place, document.id);
  await purgeDocuments(ada, [document.id]);
  expect(
    await db().selectFrom('comments').select('comment_id').where('document_id', '=', document.id).execute(),
  ).toEqual([]);
});

test.each([
  ['nothing', ''],
  ['blanks', ' \n '],
  ['2,001 characters', 'x'.repeat(2001)],
])('%s is refused as a comment', async (_, text) => {
  const document = await paper();
  expect((await say(ada, document.id, text)).status).toBe(422);
  expect((await say(ada, document.id, 'x'.repeat(2000))).status).toBe(200);
});

test('a person can write at most 60 comments in an hour', async () => {
  const document = await paper();
  await db().deleteFrom('limits').execute();
  expect((await say(cleo, document.id)).status).toBe(200);
  await db()
    .updateTable('limits')
    .set({ used: 60 })
    .where('limit_key', '=', `comments:${cleo.contactId}`)
    .execute();
  expect((await say(cleo, document.id)).status).toBe(429);
  expect((await say(ada, document.id)).status).toBe(200);
});

test('staff viewing as a contact can count and read comments but not write them', async () => {
  const document = await paper();
  const id = await idIn(say(ada, document.id));
  const session = impersonating(ada, sam);
  const look = apiAs(ada, session);
  const statuses = [
    await look('POST', '/api/notes/v1/comments/search', { json: [document.id] }),
    await look('GET', `/api/notes/v1/comments?documentId=${document.id}`),
    await look('POST', '/api/notes/v1/comments/', { json: { documentId: document.id, text: 'x' } }),
    await look('DELETE', `/api/notes/v1/comments/${id}`),
  ].map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 403, 403]);
});

test('a comment is announced to the other side in its language, without the text, at most once an hour per document', async () => {
  const start = now() + 100 * HOUR;
  const document = await at(start, () => paper());
  await mailServer.deliver();
  const notifiedOf = async (instant: number) =>
    (await at(instant, () => mailServer.deliver()))
      .map(({ recipients, mail }) => [recipients[0], mail.subject])
      .toSorted();
  await at(start, () => say(sam, document.id, 'SECRET-WORDS'));
  const mails = await at(start, () => mailServer.deliver());
  expect(mails.map(({ recipients, mail }) => [recipients[0], mail.subject]).toSorted()).toEqual([
    ['ada@one.example', `New comments on ${document.name}`],
    ['camille@one.example', `Nouveaux commentaires sur ${document.name}`],
    ['cleo@one.example', `New comments on ${document.name}`],
  ]);
  expect(
    mails.every(
      ({ raw, mail }) =>
        !raw.includes('SECRET-WORDS') &&
        !mail.html?.includes('SECRET-WORDS') &&
        mail.text?.includes('Amber Bakery'),
    ),
  ).toBe(true);
  for (const { mail } of mails)
    expect(await withPages(mail.text)).toContain(
      `/documents/${document.id}/comments?firm=${sam.companyId}&client=${clientA}`,
    );
  // Announcements to the firm are separate; clients hear of the next comment when the hour is over.
  await at(start + MINUTE, () => say(ada, document.id));
  await at(start + 2 * MINUTE, () => say(sam, document.id));
  await at(start + 3 * MINUTE, () => say(sam, document.id));
  expect(await notifiedOf(start + 4 * MINUTE)).toEqual([
    ['sam@one.example', `New comments on ${document.name}`],
  ]);
  expect(await notifiedOf(start + 59 * MINUTE)).toEqual([]);
  expect(await notifiedOf(start + HOUR)).toHaveLength(3);
  expect(await notifiedOf(start + 3 * HOUR)).toEqual([]);
});

test('a comment withdrawn in time is not announced', async () => {
  const start = now() + 200 * HOUR;
  const document = await at(start, () => paper());
  await at(start, async () => remove(ada, await idIn(say(ada, document.id))));
  expect(await at(start, () => mailServer.deliver())).toEqual([]);
});

test('comments are stored encrypted, and are in no audit entry', async () => {
  const document = await paper();
  await say(ada, document.id, 'KEEP-THIS-TO-YOU');
  expect(JSON.stringify(await everyRow())).not.toContain('KEEP-THIS-TO-YOU');
  const entries = await db()
    .selectFrom('audit')
    .select(['action', 'target'])
    .where('action', '=', 'comment.added')
    .where('target', '=', document.id)
    .execute();
  expect(entries).toHaveLength(1);
  expect((await verify(false)).faults).toEqual([]);
});
