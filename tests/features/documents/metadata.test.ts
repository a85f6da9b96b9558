import { expect, test } from 'vitest';
import { documentsByIds, listDocuments } from '#features/documents/documents/documents.server.ts';
import { setLocked } from '#features/documents/documents/rights.server.ts';
import { trashDocument } from '#features/documents/trash/trash.server.ts';
import { documentQuery, type Document } from '#features/documents/documents/documents.ts';
import type { Actor } from '#features/base/people/people.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, filesForm } from '../../support/api.ts';
import { client, uploadAs, makeCast, pdf } from '../../support/cast.ts';

const { ada, ben, cleo, sam, clientA, clientB, projectA, projectB, documentTwo, firmOne } = await makeCast();

let counter = 0;
const paper = (by: Actor = ada, place = projectA): Promise<Document> =>
  uploadAs(by, place, `Paper ${(counter += 1)}.pdf`, 'paper');
const itemOf = ({ id, parent }: Document) => ({ Id: id, ContainerId: parent.id });
const put = async (actor: Actor, items: unknown) => {
  const answer = await apiAs(actor)('PUT', '/api/storage/v1/itemmetadata', { json: items });
  return {
    status: answer.status,
    results: (
      (await answer.json()) as { data?: { items: { id: string; result: string }[] } }
    ).data?.items.map(({ result }) => result),
  };
};
const remove = async (actor: Actor, items: unknown) =>
  (
    (await (await apiAs(actor)('POST', '/api/storage/v1/itemmetadata/remove', { json: items })).json()) as {
      data: { items: { result: string }[] };
    }
  ).data.items.map(({ result }) => result);
const filter = async (actor: Actor, ClientId: string, CustomItemMetaData: Record<string, string>) => {
  const answer = await apiAs(actor)('POST', '/api/storage/v1/itemmetadata/filter', {
    json: { ClientId, CustomItemMetaData },
  });
  return answer.ok
    ? (
        (await answer.json()) as {
          data: { docId: string; containerId: string; data: Record<string, string> }[];
        }
      ).data
    : answer.status;
};
const dataOf = async (actor: Actor, { id }: Document) =>
  (await documentsByIds(actor, [id]))[0]?.customItemMetaData;

test('setting metadata keys keeps the other keys, and the document shows them all', async () => {
  const document = await paper();
  expect(
    await put(ada, [{ ...itemOf(document), CustomItemMetaData: { year: '2025', 'form.kind': 'W-2' } }]),
  ).toEqual({ status: 200, results: ['SET'] });
  expect((await put(sam, [{ ...itemOf(document), CustomItemMetaData: { year: '2026' } }])).results).toEqual([
    'SET',
  ]);
  const [shown] = await documentsByIds(cleo, [document.id]);
  expect([shown?.customItemMetaData, shown?.customFields]).toEqual([
    { 'form.kind': 'W-2', year: '2026' },
    { clientId: clientA, 'form.kind': 'W-2', year: '2026' },
  ]);
  const page = await listDocuments(ada, clientA, documentQuery.parse({}));
  expect(page.items.find(({ id }) => id === document.id)?.customItemMetaData).toEqual({
    'form.kind': 'W-2',
    year: '2026',
  });
});

test('each item of a metadata request is answered separately, one of somebody else as "not found"', async () => {
  const [own, staffs, frozen, foreign] = [
    await paper(),
    await paper(sam),
    await paper(),
    await paper(ben, projectB),
  ];
  await setLocked(sam, frozen.id, true);
  const set = (document: Document, ContainerId = document.parent.id) => ({
    Id: document.id,
    ContainerId,
    CustomItemMetaData: { a: 'b' },
  });
  expect(
    await put(ada, [
      set(own),
      set(staffs),
      set(frozen),
      set(foreign),
      set(documentTwo),
      set(own, projectB.id),
      { ...set(own), Id: 'doc_none' },
    ]),
  ).toEqual({
    status: 200,
    results: ['SET', 'FORBIDDEN', 'FORBIDDEN', 'NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'],
  });
  expect([
    await dataOf(sam, own),
    await dataOf(sam, staffs),
    await dataOf(sam, frozen),
    await dataOf(sam, foreign),
  ]).toEqual([{ a: 'b' }, {}, {}, {}]);
  expect(await remove(ada, [itemOf(foreign), itemOf(staffs), itemOf(own)])).toEqual([
    'NOT_FOUND',
    'FORBIDDEN',
    'REMOVED',
  ]);
});

test('some or all metadata keys can be removed', async () => {
  const [document, other] = [await paper(), await paper()];
  await put(
    ada,
    [document, other].map((one) => ({ ...itemOf(one), CustomItemMetaData: { a: '1', b: '2', c: '3' } })),
  );
  expect([
    await remove(ada, [{ ...itemOf(document), Keys: ['a', 'never'] }]),
    await dataOf(ada, document),
  ]).toEqual([['REMOVED'], { b: '2', c: '3' }]);
  expect([await remove(ada, [itemOf(document)]), await dataOf(ada, document)]).toEqual([['REMOVED'], {}]);
  expect(await dataOf(ada, other)).toEqual({ a: '1', b: '2', c: '3' });
});

test('a document has at most 20 metadata keys, also over several requests', async () => {
  const document = await paper();
  const keys = (from: number, to: number) =>
    Object.fromEntries(Array.from({ length: to - from }, (_, i) => [`key${from + i}`, 'x']));
  const items = [
    { ...itemOf(document), CustomItemMetaData: keys(0, 19) },
    { ...itemOf(document), CustomItemMetaData: keys(19, 21) },
    { ...itemOf(document), CustomItemMetaData: keys(18, 20) },
  ];
  expect((await put(ada, items)).results).toEqual(['SET', 'TOO_MANY', 'SET']);
  expect(Object.keys((await dataOf(ada, document)) ?? {})).toHaveLength(20);
});

test.each([
  ['21 keys', Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`key${i}`, 'x']))],
  ['a value of 501 characters', { key: 'x'.repeat(501) }],
  ['a key of 51 characters', { ['k'.repeat(51)]: 'x' }],
  ['a key that begins with a digit', { '1st': 'x' }],
  ['a key with a blank', { 'a key': 'x' }],
  ['the name of the client', { clientId: clientB }],
  ['a number', { key: 1 }],
])('metadata with %s is refused', async (_, CustomItemMetaData) => {
  expect((await put(ada, [{ ...itemOf(await paper()), CustomItemMetaData }])).status).toBe(422);
});

test("documents are searched by metadata, among one's own clients only", async () => {
  const [one, two, foreign] = [await paper(), await paper(), await paper(ben, projectB)];
  await put(
    sam,
    [one, two, foreign].map((document) => ({
      ...itemOf(document),
      CustomItemMetaData: { batch: 'x:1', step: document === one ? 'first' : 'second' },
    })),
  );
  expect(await filter(ada, clientA, { batch: 'x:1', step: 'first' })).toEqual([
    { docId: one.id, containerId: projectA.id, data: { batch: 'x:1', step: 'first' } },
  ]);
  expect([
    await filter(ada, clientA, { batch: 'X:1' }),
    await filter(ada, clientB, { batch: 'x:1' }),
    await filter(ada, 'client_none', { batch: 'x:1' }),
    await filter(ada, clientA, { step: 'x:1' }),
    await filter(ada, clientA, {}),
  ]).toEqual([[], 404, 404, [], 422]);
  const listed = async (query: string) =>
    (
      (await (await apiAs(ada)('GET', `/api/storage/v1/containers/documents?${query}`)).json()) as {
        data: { items: { id: string }[]; total: number };
      }
    ).data;
  const field = encodeURIComponent('batch:x:1');
  expect(
    (await listed(`clientId=${clientA}&customFields=${field}&orderBy=name&orderDir=asc`)).items.map(
      ({ id }) => id,
    ),
  ).toEqual([one.id, two.id]);
  expect([
    (await listed(`parentIds=${projectA.id}&customFields=${field}`)).total,
    (await listed(`parentIds=${clientA}&clientId=${clientA}&customFields=${field}`)).total,
    (await listed(`clientId=${clientA}&customFields=batch:x`)).total,
  ]).toEqual([2, 0, 0]);
  await trashDocument(ada, { containerType: 'Project', containerId: projectA.id }, two.id);
  expect([
    await filter(ada, clientA, { batch: 'x:1' }),
    (await listed(`clientId=${clientA}&customFields=${field}`)).total,
  ]).toMatchObject([[{ docId: one.id }], 1]);
});

test('an upload names its task in the query or in fields before its files', async () => {
  const form = new FormData();
  form.append('ccTaskLabel', 'Year end');
  form.append('ccStep', '2');
  for (const [name, value] of filesForm(['Task.pdf', pdf('task')], ['Task too.pdf', pdf('task')]))
    form.append(name, value);
  const answer = await apiAs(ada)(
    'POST',
    `/api/storage/v1/projects/${projectA.id}/documents?ccGroupType=DocRequest`,
    { form },
  );
  const { data } = (await answer.json()) as { data: Document[] };
  const task = { ccGroupType: 'DocRequest', ccStep: '2', ccTaskLabel: 'Year end' };
  expect(data.map(({ customItemMetaData }) => customItemMetaData)).toEqual([task, task]);
  expect(
    (
      await documentsByIds(
        sam,
        data.map(({ id }) => id),
      )
    ).map(({ customItemMetaData }) => customItemMetaData),
  ).toEqual([task, task]);
  const tooLong = await apiAs(ada)(
    'POST',
    `/api/storage/v1/projects/${projectA.id}/documents?ccStep=${'x'.repeat(501)}`,
    { form: filesForm(['Refused.pdf', pdf('x')]) },
  );
  expect([
    tooLong.status,
    (await listDocuments(ada, clientA, documentQuery.parse({ name: 'Refused' }))).total,
  ]).toEqual([422, 0]);
});

test('documents with the same metadata are listed in pages, the newest first', async () => {
  const many = await client(firmOne, 'Many papers', 'M-1', [ada]);
  const place = await uploadAs(ada, { id: many, containerType: 'Client' }, 'First.pdf', 'first');
  const [row] = await db().selectFrom('documents').selectAll().where('document_id', '=', place.id).execute();
  const rows = Array.from({ length: 1000 }, (_, i) => ({
    ...row,
    seq: undefined,
    document_id: newId('doc'),
    blob_key: newId('blob'),
    name: `${i}.pdf`,
    name_key: `${i}.pdf`,
    created_at: 1000 + i,
  }));
  await db()
    .insertInto('documents')
    .values(rows.map(({ seq: _, ...values }) => values) as never)
    .execute();
  await db()
    .insertInto('item_metadata')
    .values(
      rows.map(({ document_id, created_at }) => ({
        document_id,
        client_id: many,
        meta_key: 'kind',
        meta_value: 'bill',
        document_created_at: created_at,
      })),
    )
    .execute();
  const page = await listDocuments(
    ada,
    many,
    documentQuery.parse({ customFields: 'kind:bill', pageSize: '3' }),
  );
  expect([page.total, page.items.map(({ name }) => name)]).toEqual([1000, ['999.pdf', '998.pdf', '997.pdf']]);
  const old = await paper();
  await db()
    .insertInto('item_metadata')
    .values({
      document_id: old.id,
      client_id: clientA,
      meta_key: 'kind',
      meta_value: 'bill',
      document_created_at: 1,
    })
    .execute();
  expect(
    (await listDocuments(ada, clientA, documentQuery.parse({ customFields: 'kind:bill' }))).items.map(
      ({ id }) => id,
    ),
    'however many newer ones other clients have',
  ).toEqual([old.id]);
});
