import { describe, expect, test } from 'vitest';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { neighborsOf } from '#features/documents/documents/documents.server.ts';
import { setReading } from '#features/documents/documents/reading.server.ts';
import { createFolder } from '#features/documents/folders/folders.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { at, DAY } from '#platform/runtime/clock.server.ts';
import { makeCast, uploadAs } from '../../support/cast.ts';

const { ada, ben, sam, clientA, clientB, projectA, projectB, documentTwo } = await makeCast();
const firstDay = Date.UTC(2026, 0, 5);
const folder = await createFolder(sam, { name: 'Other', parentId: projectA.id, parentType: 'Project' });
const [first, second, third, elsewhere] = await Promise.all(
  (
    [
      ['Bread.pdf', projectA],
      ['Apple tart.pdf', projectA],
      ['Cake.pdf', projectA],
      ['Apple elsewhere.pdf', folder],
    ] as const
  ).map(([name, container], i) => at(firstDay + i * DAY, () => uploadAs(sam, container, name, 'x'))),
);
const ofBen = await uploadAs(sam, projectB, "Ben's.pdf", 'x');

const around = (document: { id: string } | undefined, query: object = {}, actor: Actor = ada) =>
  neighborsOf(actor, clientA, document?.id ?? '', documentQuery.parse(query));
const names = async (...asked: Parameters<typeof around>) => {
  const { previous, next, position } = await around(...asked);
  return [previous?.name, next?.name, position?.number, position?.total];
};

describe('the neighbors of a document in a list', () => {
  test('the previous and the next document are those beside it in the order of the list', async () => {
    expect(await names(second)).toEqual(['Cake.pdf', 'Bread.pdf', 3, 4]);
    expect(await names(first)).toEqual(['Apple tart.pdf', undefined, 4, 4]);
    expect(await names(elsewhere)).toEqual([undefined, 'Cake.pdf', 1, 4]);
    expect(await names(second, { orderBy: 'name', orderDir: 'asc' })).toEqual([
      'Apple elsewhere.pdf',
      'Bread.pdf',
      2,
      4,
    ]);
  });

  test('they are of the same folder and the same search', async () => {
    expect(await names(third, { parentIds: projectA.id })).toEqual([undefined, 'Apple tart.pdf', 1, 3]);
    expect(await names(second, { name: 'apple' })).toEqual(['Apple elsewhere.pdf', undefined, 2, 2]);
    expect(await names(third, { name: 'apple' }), 'a document outside the list').toEqual(
      Array.from({ length: 4 }),
    );
  });

  test('a document that was read just now keeps its place among the unread ones', async () => {
    const unread = { readByClientUser: 'false' };
    await setReading(ada, { documentIds: [second?.id ?? ''], isRead: true });
    expect(await names(second, unread, sam)).toEqual(['Cake.pdf', 'Bread.pdf', 3, 4]);
    await setReading(ada, { documentIds: [second?.id ?? ''], isRead: false });
  });

  test('a document of somebody else is never a neighbor, whatever the address says', async () => {
    expect(await names(ofBen)).toEqual(Array.from({ length: 4 }));
    expect(await names(second, { parentIds: projectB.id })).toEqual(Array.from({ length: 4 }));
    expect(await names(documentTwo)).toEqual(Array.from({ length: 4 }));
    await expect(around(second, {}, ben)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(neighborsOf(ada, clientB, ofBen.id, documentQuery.parse({}))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
