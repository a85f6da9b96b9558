import { expect, test } from 'vitest';
import { documentsByIds } from '#features/documents/documents/documents.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { apiAs, impersonating } from '../../support/api.ts';
import { uploadAs, makeCast } from '../../support/cast.ts';

const { ada, cleo, sam, projectA, projectB, documentTwo } = await makeCast();

const mark = async (actor: Actor, documentIds: unknown, isRead: unknown, session?: Session) => {
  const answer = await apiAs(actor, session)('PUT', '/api/storage/v1/documents/read', {
    json: { documentIds, isRead },
  });
  return {
    status: answer.status,
    items: ((await answer.json()) as { data?: { items: unknown[] } }).data?.items,
  };
};
const isRead = async (actor: Actor, id: string) => (await documentsByIds(actor, [id]))[0]?.isReadByClientUser;

test('a contact marks accessible documents as read or unread for themselves, any number of times; others are not found', async () => {
  const [one, two, foreign] = [
    await uploadAs(sam, projectA, 'One.pdf', '1'),
    await uploadAs(sam, projectA, 'Two.pdf', '2'),
    await uploadAs(sam, projectB, 'Foreign.pdf', '3'),
  ];
  expect(await mark(ada, [one.id, foreign.id, documentTwo.id, 'doc_none', two.id], true)).toEqual({
    status: 200,
    items: [
      { id: one.id, result: 'MARKED' },
      { id: foreign.id, result: 'NOT_FOUND' },
      { id: documentTwo.id, result: 'NOT_FOUND' },
      { id: 'doc_none', result: 'NOT_FOUND' },
      { id: two.id, result: 'MARKED' },
    ],
  });
  expect([
    await isRead(ada, one.id),
    await isRead(ada, two.id),
    await isRead(cleo, one.id),
    await isRead(cleo, foreign.id),
  ]).toEqual([true, true, false, false]);
  await mark(cleo, [one.id], true);
  expect((await mark(ada, [one.id], false)).status).toBe(200);
  expect((await mark(ada, [one.id], false)).status).toBe(200);
  expect([await isRead(ada, one.id), await isRead(ada, two.id), await isRead(cleo, one.id)]).toEqual([
    false,
    true,
    true,
  ]);
});

test('staff have no read marks, and viewing as a contact leaves none', async () => {
  const document = await uploadAs(sam, projectA, 'Untouched.pdf', '4');
  const session = impersonating(ada, sam);
  expect([
    (await mark(sam, [document.id], true)).status,
    (await mark(ada, [document.id], true, session)).status,
    await isRead(ada, document.id),
  ]).toEqual([403, 403, false]);
});

test.each([
  ['none', [], true],
  ['501 documents', Array.from({ length: 501 }, () => 'doc_none'), true],
  ['a word for yes', ['doc_none'], 'yes'],
])('a request to mark documents with %s is refused', async (_, ids, read) => {
  expect((await mark(ada, ids, read)).status).toBe(422);
});
