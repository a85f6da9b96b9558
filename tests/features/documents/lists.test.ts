import { describe, expect, test } from 'vitest';
import { bytesOf } from '#features/documents/documents/bytes.server.ts';
import { createFolder, createProject } from '#features/documents/folders/folders.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { documentsByIds, listDocuments } from '#features/documents/documents/documents.server.ts';
import { openDocument } from '#features/documents/downloads/fetching.server.ts';
import { documentQuery, type DocumentPage } from '#features/documents/documents/documents.ts';
import type { Actor } from '#features/base/people/people.ts';
import { at, DAY } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { startOfDay } from '#platform/text/time-zones.ts';
import { apiAs, seen } from '../../support/api.ts';
import { CANARY, client, everyRow, uploadAs, makeCast, unlink } from '../../support/cast.ts';

const cast = await makeCast();
const {
  ada,
  ben,
  cleo,
  sam,
  zoe,
  tom,
  clientA,
  clientB,
  clientTwo,
  projectA,
  projectB,
  projectTwo,
  documentTwo,
  firmOne,
} = cast;

const list = (actor: Actor, clientId: string, query: object = {}) =>
  listDocuments(actor, clientId, documentQuery.parse(query));
const names = ({ items }: DocumentPage) => items.map(({ name }) => name);
const firstDay = Date.UTC(2026, 0, 5);
let clients = 0;
const freshClient = () => client(firmOne, `Client ${(clients += 1)}`, `C-${clients}`, [ada, cleo]);

describe('the documents of a client', () => {
  test('documents are listed a hundred to a page, the newest first', async () => {
    const clientId = await freshClient();
    const project = await createProject(sam, { clientId, name: 'Weeks' });
    for (let week = 0; week < 105; week += 1)
      await at(firstDay + week * DAY, () =>
        uploadAs(sam, project, `Week ${String(week).padStart(3, '0')}.pdf`, String(week)),
      );
    const first = await list(ada, clientId);
    const second = await list(ada, clientId, { from: 100 });
    expect([first.items.length, first.total, first.totalPages, first.pageIndex]).toEqual([100, 105, 2, 0]);
    expect([second.items.length, second.pageIndex]).toEqual([5, 1]);
    expect(names(first).slice(0, 2)).toEqual(['Week 104.pdf', 'Week 103.pdf']);
    expect(names(second)).toEqual([4, 3, 2, 1, 0].map((week) => `Week 00${week}.pdf`));
    expect(names(await list(ada, clientId, { from: 110 }))).toEqual([]);
  });

  test('each document is on exactly one page, even when all were uploaded at the same moment', async () => {
    const clientId = await freshClient();
    const project = await createProject(sam, { clientId, name: 'Batch' });
    await at(firstDay, async () => {
      for (let i = 0; i < 23; i += 1) await uploadAs(sam, project, `${i}.pdf`, 'same');
    });
    for (const orderBy of ['createdDate', 'name', 'originalItemSize']) {
      for (const orderDir of ['asc', 'desc']) {
        const pages = await Promise.all(
          [0, 5, 10, 15, 20].map((from) => list(ada, clientId, { from, pageSize: 5, orderBy, orderDir })),
        );
        expect(new Set(pages.flatMap(names)).size).toBe(23);
      }
    }
  });

  test('documents are sorted by name without regard to case, by size and by date, in either direction', async () => {
    const clientId = await freshClient();
    const project = await createProject(sam, { clientId, name: 'Sorted' });
    await at(firstDay + 2 * DAY, () => uploadAs(sam, project, 'beta.pdf', 'x'));
    await at(firstDay, () => uploadAs(sam, project, 'Alpha.pdf', 'xxxxxx'));
    await at(firstDay + DAY, () => uploadAs(sam, project, 'GAMMA.pdf', 'xxx'));
    const sorted = async (orderBy: string, orderDir: string) =>
      names(await list(ada, clientId, { orderBy, orderDir }));
    expect(await sorted('name', 'asc')).toEqual(['Alpha.pdf', 'beta.pdf', 'GAMMA.pdf']);
    expect(await sorted('originalItemSize', 'desc')).toEqual(['Alpha.pdf', 'GAMMA.pdf', 'beta.pdf']);
    expect(await sorted('createdDate', 'asc')).toEqual(['Alpha.pdf', 'GAMMA.pdf', 'beta.pdf']);
    expect(await sorted('createdDate', 'desc')).toEqual(['beta.pdf', 'GAMMA.pdf', 'Alpha.pdf']);
  });

  test('documents can be filtered by folders, and a folder of another client adds nothing', async () => {
    const clientId = await freshClient();
    const project = await createProject(sam, { clientId, name: 'Some' });
    const [one, two] = [
      await createFolder(ada, { name: 'One', parentId: project.id, parentType: 'Project' }),
      await createFolder(ada, { name: 'Two', parentId: project.id, parentType: 'Project' }),
    ];
    await uploadAs(ada, one, 'in one.pdf', '1');
    await uploadAs(ada, two, 'in two.pdf', '2');
    await uploadAs(ada, project, 'in project.pdf', '3');
    await uploadAs(ben, projectB, 'of ben.pdf', '4');
    const narrowed = async (...ids: string[]) =>
      names(await list(ada, clientId, { parentIds: ids.join(','), orderBy: 'name', orderDir: 'asc' }));
    expect(await narrowed(one.id)).toEqual(['in one.pdf']);
    expect(await narrowed(one.id, two.id)).toEqual(['in one.pdf', 'in two.pdf']);
    expect(await narrowed(one.id, projectB.id, projectTwo.id)).toEqual(['in one.pdf']);
    expect(await narrowed(projectB.id)).toEqual([]);
  });

  test('documents can be filtered by the side that added them, and say who that was', async () => {
    const clientId = await freshClient();
    const project = await createProject(sam, { clientId, name: 'Sides' });
    await uploadAs(sam, project, 'from the firm.pdf', '1');
    await uploadAs(ada, project, 'by ada.pdf', '2');
    await uploadAs(cleo, project, 'by cleo.pdf', '3');
    const by = async (actor: Actor, query: object) =>
      (await list(actor, clientId, { orderBy: 'name', orderDir: 'asc', ...query })).items.map(
        ({ name, addedBy, isOwn }) => [name, addedBy, isOwn],
      );
    const firm = ['from the firm.pdf', 'firm'];
    expect(await by(ada, { uploadedBy: 'firm' })).toEqual([[...firm, false]]);
    expect(await by(sam, { uploadedBy: 'firm' })).toEqual([[...firm, true]]);
    expect(await by(ada, { uploadedBy: 'client' })).toEqual([
      ['by ada.pdf', 'client', true],
      ['by cleo.pdf', 'client', false],
    ]);
    expect((await list(ada, clientId, { uploadedBy: 'client', pageSize: 1 })).total).toBe(2);
    expect(await by(ada, { uploadedBy: 'client', name: 'cleo' })).toHaveLength(1);
    expect(await by(ada, { uploadedBy: 'client', readByClientUser: 'false' })).toEqual([
      ['by cleo.pdf', 'client', false],
    ]);
  });

  test('documents can be filtered by the year in which they were added, by the calendar of the firm', async () => {
    const clientId = await freshClient();
    const project = await createProject(sam, { clientId, name: 'Years' });
    const { timeZone } = await firmOf(firmOne);
    const newYear = startOfDay('2025-01-01', timeZone);
    await at(newYear - 1, () => uploadAs(sam, project, 'last of 2024.pdf', '1'));
    await at(newYear, () => uploadAs(sam, project, 'first of 2025.pdf', '2'));
    await at(startOfDay('2026-01-01', timeZone) - 1, () => uploadAs(sam, project, 'last of 2025.pdf', '3'));
    const page = await list(ada, clientId, { year: 2025 });
    expect([names(page), page.total]).toEqual([['last of 2025.pdf', 'first of 2025.pdf'], 2]);
    expect(names(await list(ada, clientId, { year: 2024 }))).toEqual(['last of 2024.pdf']);
    expect(names(await list(ada, clientId, { year: 2025, name: 'first' }))).toEqual(['first of 2025.pdf']);
    expect(names(await list(ada, clientId, { year: 2023 }))).toEqual([]);
    expect(names(await list(ada, clientId, { year: 9999 })), 'the last year').toEqual([]);
  });

  test('the document list follows its API contract', async () => {
    const clientId = await freshClient();
    await uploadAs(ada, await createProject(sam, { clientId, name: 'P' }), 'a.pdf', '1');
    const answer = await apiAs(ada)(
      'GET',
      `/api/storage/v1/containers/documents?clientId=${clientId}&pageSize=10`,
    );
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      data: {
        total: 1,
        totalPages: 1,
        pageIndex: 0,
        items: [{ name: 'a.pdf', type: 'Document', permissions: { read: true, delete: true } }],
      },
    });
    for (const wrong of [
      'pageSize=0',
      'pageSize=101',
      'from=-1',
      'orderBy=blob_key',
      'orderDir=up',
      'from=1.5',
      'uploadedBy=me',
      'year=25',
    ]) {
      expect(
        (await apiAs(ada)('GET', `/api/storage/v1/containers/documents?clientId=${clientId}&${wrong}`))
          .status,
        wrong,
      ).toBe(422);
    }
  });

  test('a client never sees the documents of another client', async () => {
    await uploadAs(sam, projectA, 'for A only.pdf', 'A');
    await uploadAs(sam, projectB, 'for B only.pdf', 'B');
    expect(names(await list(ada, clientA))).toContain('for A only.pdf');
    expect(names(await list(cleo, clientA))).toContain('for A only.pdf');
    expect(names(await list(cleo, clientB))).toContain('for B only.pdf');
    expect(names(await list(sam, clientB))).toContain('for B only.pdf');
    for (const clientId of [clientA, clientB])
      expect(JSON.stringify(await list(sam, clientId))).not.toContain(CANARY);
    expect(names(await list(tom, clientTwo))).toEqual([`${CANARY} accounts.pdf`]);
  });

  test.each([
    ['another client of the firm', ada, clientB],
    ['a client of another firm', ada, clientTwo],
    ['a client of another firm, for staff', sam, clientTwo],
  ])(
    'the documents of %s are not found, byte for byte like those of an unknown client',
    async (_, actor, clientId) => {
      const path = (id: string) => `/api/storage/v1/containers/documents?clientId=${id}`;
      const foreign = await seen(await apiAs(actor)('GET', path(clientId)));
      expect(foreign).toEqual(await seen(await apiAs(actor)('GET', path(newId('client')))));
      expect(foreign.body).not.toContain(CANARY);
      expect(foreign.status).toBe(404);
    },
  );

  test('documents are gone with the next request after access to the client was removed', async () => {
    const clientId = await freshClient();
    const { id } = await uploadAs(ada, await createProject(sam, { clientId, name: 'P' }), 'a.pdf', '1');
    expect((await list(cleo, clientId)).total).toBe(1);
    await unlink(clientId, cleo);
    expect(
      await list(cleo, clientId).then(
        ({ total }) => total,
        () => 0,
      ),
    ).toBe(0);
    await expect(documentsByIds(cleo, [id])).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(bytesOf(cleo, [id])).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('documents by their ids', () => {
  test('documents requested by ids come in the order of the ids', async () => {
    const [a, b] = [
      await uploadAs(ada, projectA, 'first.pdf', '1'),
      await uploadAs(ada, projectA, 'second.pdf', '2'),
    ];
    expect((await documentsByIds(ada, [b.id, a.id])).map(({ id }) => id)).toEqual([b.id, a.id]);
    expect(await documentsByIds(ada, [])).toEqual([]);
    expect((await bytesOf(ada, [b.id, a.id, b.id])).map(({ name }) => name)).toEqual([
      'first.pdf',
      'second.pdf',
    ]);
  });

  test('a request for several documents is refused if any of them belongs to somebody else, at any position', async () => {
    const own = [
      await uploadAs(ada, projectA, 'x.pdf', '1'),
      await uploadAs(ada, projectA, 'y.pdf', '2'),
    ].map(({ id }) => id);
    for (const foreign of [documentTwo.id, (await uploadAs(ben, projectB, 'z.pdf', '3')).id, newId('doc')]) {
      for (const ids of [
        [foreign, ...own],
        [own[0] ?? '', foreign, own[1] ?? ''],
        [...own, foreign],
      ]) {
        await expect(documentsByIds(ada, ids)).rejects.toMatchObject({ code: 'NOT_FOUND' });
        await expect(bytesOf(ada, ids)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      }
    }
  });
});

describe('read marks', () => {
  const placeOf = (containerId: string) => ({ containerType: 'Project' as const, containerId });
  const isRead = async (actor: Actor, id: string) =>
    (await documentsByIds(actor, [id]))[0]?.isReadByClientUser;

  test('an opened document is read for the contact who opened it and for nobody else', async () => {
    const { id } = await uploadAs(sam, projectA, 'please read.pdf', 'x');
    expect([await isRead(ada, id), await isRead(cleo, id), await isRead(sam, id)]).toEqual([
      false,
      false,
      false,
    ]);
    await openDocument(ada, placeOf(projectA.id), id, true);
    expect([await isRead(ada, id), await isRead(cleo, id), await isRead(sam, id)]).toEqual([
      true,
      false,
      true,
    ]);
    await openDocument(ada, placeOf(projectA.id), id, true);
    expect(await isRead(ada, id)).toBe(true);
  });

  test('a document stays unread when staff open it', async () => {
    const { id } = await uploadAs(sam, projectA, 'staff looks.pdf', 'x');
    await openDocument(sam, placeOf(projectA.id), id, true);
    expect([await isRead(ada, id), await isRead(sam, id)]).toEqual([false, false]);
  });

  test('a document stays unread when it is only listed or shared', async () => {
    const { id } = await uploadAs(sam, projectA, 'only listed.pdf', 'x');
    await list(ada, clientA);
    await bytesOf(ada, [id]);
    expect(await isRead(ada, id)).toBe(false);
  });

  test('a document is read for the contact who uploaded it', async () => {
    const { id } = await uploadAs(ada, projectA, 'from ada.pdf', 'x');
    expect([await isRead(ada, id), await isRead(cleo, id)]).toEqual([true, false]);
  });

  test('a document is not marked read by somebody who may not open it', async () => {
    const before = await everyRow();
    for (const [actor, containerId, id] of [
      [ada, projectTwo.id, documentTwo.id],
      [ben, projectA.id, (before['documents']?.[1] as { document_id: string }).document_id],
      [zoe, projectA.id, documentTwo.id],
      [tom, projectA.id, documentTwo.id],
    ] as const) {
      await expect(openDocument(actor, placeOf(containerId), id, true)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    }
    expect(await everyRow()).toEqual(before);
  });
});
