import { afterAll, describe, expect, test } from 'vitest';
import { verify } from '#platform/database/verification.server.ts';
import { bytesOf } from '#features/documents/documents/bytes.server.ts';
import {
  createFolder,
  createProject,
  findDefaultFolder,
} from '#features/documents/folders/folders.server.ts';
import { documentsByIds, listDocuments } from '#features/documents/documents/documents.server.ts';
import { listContainers } from '#features/documents/folders/tree.server.ts';
import {
  listTrash,
  purgeDocuments,
  purgeOldTrash,
  restoreDocuments,
  trashDocument,
  trashDocuments,
} from '#features/documents/trash/trash.server.ts';
import { openDocument } from '#features/documents/downloads/fetching.server.ts';
import { documentQuery, type Document } from '#features/documents/documents/documents.ts';
import type { Container } from '#features/documents/folders/folders.ts';
import { openShare, sharedBytes, viewShare } from '#features/sharing/sharing/recipient.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { sweepBlobs } from '#platform/storage/blobs.server.ts';
import { at, DAY, HOUR, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { verifyReceipts } from '#features/base/receipts/verification.server.ts';
import { apiAs, impersonating, seen } from '../../support/api.ts';
import {
  blobFiles,
  CANARY,
  client,
  uploadAs,
  makeCast,
  startMailServer,
  unlink,
} from '../../support/cast.ts';
import '../../../src/app.server.ts';

const {
  ada,
  ben,
  cleo,
  sam,
  zoe,
  clientA,
  clientB,
  clientTwo,
  projectA,
  projectB,
  projectTwo,
  documentTwo,
  firmOne,
} = await makeCast();
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

const placed = ({ id, parent }: Document) => ({
  Id: id,
  ContainerId: parent.id,
  ContainerType: parent.containerType,
});
const put = (actor: Actor, ...documents: Document[]) =>
  trashDocuments(actor, { docs: documents.map(placed), staffUploads: [] });
const results = (outcomes: readonly { result: string }[]) => outcomes.map(({ result }) => result);
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'OK',
    (error: unknown) => (error as { code?: string }).code ?? 'a fault',
  );
const names = async (actor: Actor, clientId: string) =>
  (await listDocuments(actor, clientId, documentQuery.parse({ orderBy: 'name', orderDir: 'asc' }))).items.map(
    ({ name }) => name,
  );
const inTrash = async (actor: Actor, clientId: string) =>
  (await listTrash(actor, clientId, 0)).items.map(({ name }) => name);
const countOf = async (place: Container) =>
  (await listContainers(sam, place.clientId)).find(({ id }) => id === place.id)?.documentCount;

let counter = 0;
/** A client of Ada and Cleo with a project, unused by other tests. */
async function freshProject(): Promise<Container> {
  counter += 1;
  return createProject(sam, {
    clientId: await client(firmOne, `Trash ${counter}`, `T-${counter}`, [ada, cleo]),
    name: 'Papers',
  });
}

describe('documents in the trash', () => {
  test('a deleted document disappears from lists, counts, downloads and taken names, and a restored one comes back', async () => {
    const project = await freshProject();
    const document = await uploadAs(ada, project, 'Receipt.pdf', 'receipt');
    const place = { containerType: project.containerType, containerId: project.id };
    const exists = async () =>
      (
        await apiAs(ada)('POST', `/api/storage/v1/projects/${project.id}/documents/exists`, {
          json: ['receipt.PDF'],
        })
      ).json() as Promise<unknown>;
    await put(ada, document);
    expect([
      await names(ada, project.clientId),
      await names(sam, project.clientId),
      await countOf(project),
      (await listDocuments(ada, project.clientId, documentQuery.parse({}))).total,
    ]).toEqual([[], [], 0, 0]);
    expect([
      await codeOf(openDocument(ada, place, document.id, true)),
      await codeOf(documentsByIds(sam, [document.id])),
      await codeOf(bytesOf(ada, [document.id])),
    ]).toEqual(['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND']);
    expect(await exists()).toEqual({ data: [{ exists: false }] });
    expect(results(await restoreDocuments(ada, [document.id]))).toEqual(['RESTORED']);
    expect([await names(ada, project.clientId), await countOf(project), await exists()]).toEqual([
      ['Receipt.pdf'],
      1,
      { data: [{ exists: true }] },
    ]);
    expect(await documentsByIds(ada, [document.id])).toEqual([document]);
  });

  test('deleting a document ends the links that contain it, and restoring it revives them', async () => {
    const document = await uploadAs(ada, projectA, 'Linked.pdf', 'linked');
    await shareDocuments(
      ada,
      {
        expirationPeriod: 'AfterOneWeek',
        overrides: { subject: 'x', body: '' },
        recipients: [{ emailAddress: 'r@out.example' }],
        sharedItems: [{ containerType: 'Project', containerId: projectA.id, documentId: document.id }],
      },
      'en-us',
    );
    const token = /\/share\/([\w-]{43})\b/.exec((await mailServer.deliver())[0]?.mail.text ?? '')?.[1] ?? '';
    const visit = await openShare(token, undefined, '198.51.100.1');
    await put(ada, document);
    expect([
      (await viewShare(token, visit)).kind,
      await codeOf(sharedBytes(token, visit, document.id)),
      await codeOf(openShare(token, undefined, '198.51.100.2')),
    ]).toEqual(['over', 'GONE', 'GONE']);
    await restoreDocuments(ada, [document.id]);
    expect([
      (await viewShare(token, visit)).kind,
      await codeOf(sharedBytes(token, visit, document.id)),
    ]).toEqual(['open', 'OK']);
    await put(ada, document);
    await purgeDocuments(ada, [document.id]);
    expect([
      (await viewShare(token, visit)).kind,
      await codeOf(sharedBytes(token, visit, document.id)),
    ]).toEqual(['over', 'GONE']);
  });

  test('the trash lists each document with its folder, who deleted it, when, and until when it can be restored', async () => {
    const project = await freshProject();
    const document = await uploadAs(ada, project, 'Listed.pdf', 'listed');
    const instant = now() - 3 * DAY;
    await at(instant, () => put(ada, document));
    expect(await listTrash(cleo, project.clientId, 0)).toMatchObject({ items: [], total: 0 });
    const page = await listTrash(ada, project.clientId, 0);
    expect(page).toEqual({
      items: [
        {
          id: document.id,
          name: 'Listed.pdf',
          originalItemSize: document.originalItemSize,
          parent: { id: project.id, containerType: 'Project', name: 'Papers', productType: null },
          deletedBy: 'Ada Amber',
          deletedDate: new Date(instant).toISOString(),
          restorableUntil: new Date(instant + 30 * DAY).toISOString(),
          permissions: { restore: true, purge: true },
        },
      ],
      pageIndex: 0,
      totalPages: 1,
      total: 1,
    });
    expect((await listTrash(sam, project.clientId, 0)).items).toEqual(page.items);
  });

  test('the trash lists a hundred documents to a page, the last deleted first', async () => {
    const project = await freshProject();
    const documents: Document[] = [];
    for (let i = 0; i < 102; i += 1)
      documents.push(await uploadAs(sam, project, `${String(i).padStart(3, '0')}.pdf`, 'x'));
    for (const [i, document] of documents.entries())
      await at(now() - DAY + i * 1000, () => put(sam, document));
    const [first, second] = [
      await listTrash(sam, project.clientId, 0),
      await listTrash(sam, project.clientId, 100),
    ];
    expect([
      first.items.length,
      first.items[0]?.name,
      first.total,
      first.totalPages,
      second.items.map(({ name }) => name),
      second.pageIndex,
    ]).toEqual([100, '101.pdf', 102, 2, ['001.pdf', '000.pdf'], 1]);
  });

  test('the audit log records who deleted, restored and removed a document', async () => {
    const document = await uploadAs(ada, projectA, 'Trail.pdf', 'trail');
    await put(ada, document);
    await restoreDocuments(ada, [document.id]);
    await put(sam, document);
    await purgeDocuments(sam, [document.id]);
    const rows = await db()
      .selectFrom('audit')
      .select(['action', 'actor', 'client_id'])
      .where('target', '=', document.id)
      .orderBy('seq')
      .execute();
    expect(rows.map(({ action, actor }) => [action, actor])).toEqual([
      ['document.upload', ada.contactId],
      ['document.trash', ada.contactId],
      ['document.restore', ada.contactId],
      ['document.trash', sam.contactId],
      ['document.purge', sam.contactId],
    ]);
    expect(new Set(rows.map((row) => row.client_id))).toEqual(new Set([clientA]));
  });
});

describe('deleting documents', () => {
  test('a document can be deleted by who uploaded it, and by staff', async () => {
    const project = await freshProject();
    const [staffs, adas, cleos] = [
      await uploadAs(sam, project, 'of staff.pdf', 's'),
      await uploadAs(ada, project, 'of Ada.pdf', 'a'),
      await uploadAs(cleo, project, 'of Cleo.pdf', 'c'),
    ];
    expect(await put(ada, staffs, adas, cleos)).toEqual([
      { id: staffs.id, name: 'of staff.pdf', result: 'FORBIDDEN' },
      { id: adas.id, name: 'of Ada.pdf', result: 'DELETED' },
      { id: cleos.id, name: 'of Cleo.pdf', result: 'FORBIDDEN' },
    ]);
    expect(await names(ada, project.clientId)).toEqual(['of Cleo.pdf', 'of staff.pdf']);
    expect(results(await put(sam, staffs, cleos))).toEqual(['DELETED', 'DELETED']);
  });

  test('deleting can exclude staff uploads, even for those who may delete them', async () => {
    const document = await uploadAs(ada, projectA, 'named as staff upload.pdf', 'x');
    expect(await trashDocuments(ada, { docs: [], staffUploads: [placed(document)] })).toEqual([
      { id: document.id, name: document.name, result: 'FORBIDDEN' },
    ]);
    expect(await codeOf(documentsByIds(ada, [document.id]))).toBe('OK');
  });

  test('deleting a document of somebody else, another firm or the wrong container answers like an unknown document', async () => {
    const [own, bens] = [
      await uploadAs(ada, projectA, 'own.pdf', 'x'),
      await uploadAs(ben, projectB, 'of Ben.pdf', 'x'),
    ];
    const nobodys = { Id: newId('doc'), ContainerId: projectA.id, ContainerType: 'Project' as const };
    const answers = await trashDocuments(ada, {
      docs: [
        nobodys,
        placed(bens),
        placed(documentTwo),
        { ...placed(own), ContainerId: clientA },
        { ...placed(own), ContainerType: 'Folder' },
      ],
      staffUploads: [placed(bens)],
    });
    expect(answers.map(({ id: _, ...rest }) => rest)).toEqual(
      Array.from({ length: 6 }, () => ({ result: 'NOT_FOUND' })),
    );
    expect([
      await names(ben, clientB),
      await names(zoe, clientTwo),
      await codeOf(documentsByIds(ada, [own.id])),
    ]).toEqual([['of Ben.pdf'], [documentTwo.name], 'OK']);
    for (const wrong of [nobodys, placed(bens), placed(documentTwo)])
      expect(
        await codeOf(
          trashDocument(
            ada,
            { containerId: wrong.ContainerId, containerType: wrong.ContainerType },
            wrong.Id,
          ),
        ),
      ).toBe('NOT_FOUND');
  });

  test('deleting leaves a receipt for each document in the audit log, which stays after permanent removal', async () => {
    const documents = [
      await uploadAs(ada, projectA, 'receipt one.pdf', 'one'),
      await uploadAs(ada, projectA, 'receipt two.pdf', 'two'),
    ];
    await put(ada, ...documents);
    await purgeDocuments(
      ada,
      documents.map(({ id }) => id),
    );
    const issued = await db()
      .selectFrom('receipts')
      .selectAll()
      .where('kind', '=', 'delete')
      .where(
        'document_id',
        'in',
        documents.map(({ id }) => id),
      )
      .orderBy('number')
      .execute();
    expect(
      issued.map(({ name, sha256, actor, client_id: client }) => ({ name, sha256, actor, client })),
    ).toEqual(documents.map(({ name, sha256 }) => ({ name, sha256, actor: ada.contactId, client: clientA })));
    const { details } = await db()
      .selectFrom('audit')
      .select('details')
      .where('action', '=', 'document.trash')
      .where('target', '=', documents[0]?.id ?? '')
      .executeTakeFirstOrThrow();
    expect(JSON.parse(details)).toMatchObject({ receipt: issued[1]?.number, receiptHash: issued[1]?.hash });
    expect((await verifyReceipts()).faults).toEqual([]);
  });

  test('deleting a document named twice deletes it once', async () => {
    const document = await uploadAs(ada, projectA, 'twice.pdf', 'x');
    expect(results(await put(ada, document, document))).toEqual(['DELETED', 'NOT_FOUND']);
  });

  test('of two concurrent deletions of a document one takes effect', async () => {
    const document = await uploadAs(ada, projectA, 'race.pdf', 'x');
    const outcomes = (
      await Promise.all(Array.from({ length: 8 }, (_, i) => put(i % 2 ? ada : sam, document)))
    ).flat();
    expect(results(outcomes).toSorted()).toEqual([
      'DELETED',
      ...Array.from({ length: 7 }, () => 'NOT_FOUND'),
    ]);
    expect(
      await db()
        .selectFrom('audit')
        .select('action')
        .where('target', '=', document.id)
        .where('action', '=', 'document.trash')
        .execute(),
    ).toHaveLength(1);
  });

  test('one call deletes up to a thousand documents and refuses more', async () => {
    const named = Array.from({ length: 1001 }, () => ({
      Id: newId('doc'),
      ContainerId: newId('project'),
      ContainerType: 'Project',
    }));
    const call = (docs: unknown[], staffUploads: unknown[] = []) =>
      apiAs(ada)('PUT', '/api/storage/v1/documents/batch-delete', { json: { docs, staffUploads } });
    expect([
      (await call(named.slice(0, 1000))).status,
      (await call(named)).status,
      (await call(named.slice(0, 600), named.slice(0, 600))).status,
      (await call([])).status,
    ]).toEqual([200, 422, 422, 422]);
  });
});

describe('restoring documents', () => {
  test('a restored document whose name was taken meanwhile gets a number, and the answer says so', async () => {
    const project = await freshProject();
    const first = await uploadAs(ada, project, 'Invoice.pdf', 'first');
    await put(ada, first);
    const second = await uploadAs(ada, project, 'invoice.PDF', 'second');
    expect(second.name).toBe('invoice.PDF');
    expect(await restoreDocuments(ada, [first.id])).toEqual([
      {
        id: first.id,
        name: 'Invoice (1).pdf',
        formerName: 'Invoice.pdf',
        parent: { id: project.id, containerType: 'Project', name: 'Papers' },
        moved: false,
        result: 'RESTORED',
      },
    ]);
  });

  test('restoring 32 documents of one name at the same moment gives each its own name', async () => {
    const project = await freshProject();
    const documents: Document[] = [];
    for (let i = 0; i < 32; i += 1) {
      const document = await uploadAs(ada, project, 'Same.pdf', String(i));
      documents.push(document);
      await put(ada, document);
    }
    expect(new Set(documents.map(({ name }) => name))).toEqual(new Set(['Same.pdf']));
    const outcomes = (await Promise.all(documents.map(({ id }) => restoreDocuments(ada, [id])))).flat();
    expect(new Set(results(outcomes))).toEqual(new Set(['RESTORED']));
    expect((await names(ada, project.clientId)).toSorted()).toEqual(
      ['Same.pdf', ...Array.from({ length: 31 }, (_, i) => `Same (${i + 1}).pdf`)].toSorted(),
    );
    expect(await countOf(project)).toBe(32);
  });

  test('of two concurrent restorations of a document one takes effect', async () => {
    const project = await freshProject();
    const document = await uploadAs(ada, project, 'once.pdf', 'x');
    await put(ada, document);
    const outcomes = (
      await Promise.all(
        Array.from({ length: 8 }, (_, i) => restoreDocuments(i % 2 ? ada : sam, [document.id])),
      )
    ).flat();
    expect([results(outcomes).toSorted(), await names(ada, project.clientId)]).toEqual([
      [...Array.from({ length: 7 }, () => 'NOT_FOUND'), 'RESTORED'],
      ['once.pdf'],
    ]);
  });

  test('restoring and deleting a document at the same moment leaves it in one place with the right count', async () => {
    const project = await freshProject();
    const document = await uploadAs(ada, project, 'to and fro.pdf', 'x');
    for (let round = 0; round < 10; round += 1) {
      await Promise.all([
        put(ada, document),
        restoreDocuments(ada, [document.id]),
        put(sam, document),
        restoreDocuments(sam, [document.id]),
      ]);
      const [live, gone] = [await names(sam, project.clientId), await inTrash(sam, project.clientId)];
      expect([live.length + gone.length, await countOf(project)]).toEqual([1, live.length]);
    }
  });

  test('a document whose folder is gone is restored to the upload folder, which is created', async () => {
    const project = await freshProject();
    const folder = await createFolder(ada, {
      name: 'Soon gone',
      parentId: project.id,
      parentType: 'Project',
    });
    const document = await uploadAs(ada, folder, 'orphan.pdf', 'x');
    await put(ada, document);
    await db()
      .updateTable('containers')
      .set({ client_id: clientB, parent_id: null })
      .where('container_id', '=', folder.id)
      .execute();
    expect((await listTrash(ada, project.clientId, 0)).items).toMatchObject([
      { name: 'orphan.pdf', parent: null },
    ]);
    const [outcome] = await restoreDocuments(sam, [document.id]); // may access the folder in which the document is now
    const uploads = await findDefaultFolder(ada, project.clientId);
    expect(outcome).toEqual({
      id: document.id,
      name: 'orphan.pdf',
      parent: { id: uploads?.id, containerType: 'Project', name: 'Uploads' },
      moved: true,
      result: 'RESTORED',
    });
  });

  test('contacts restore what they deleted, staff everything, and only staff what staff deleted', async () => {
    const project = await freshProject();
    const document = await uploadAs(ada, project, 'taken away.pdf', 'x');
    await put(sam, document);
    expect((await listTrash(ada, project.clientId, 0)).items).toMatchObject([
      { deletedBy: 'Sam Staff', permissions: { restore: false, purge: false } },
    ]);
    expect(await restoreDocuments(ada, [document.id])).toEqual([
      { id: document.id, name: 'taken away.pdf', result: 'FORBIDDEN' },
    ]);
    expect(await purgeDocuments(ada, [document.id])).toEqual([
      { id: document.id, name: 'taken away.pdf', result: 'FORBIDDEN' },
    ]);
    for (const other of [cleo, ben, zoe])
      expect([
        await restoreDocuments(other, [document.id]),
        await purgeDocuments(other, [document.id]),
      ]).toEqual([[{ id: document.id, result: 'NOT_FOUND' }], [{ id: document.id, result: 'NOT_FOUND' }]]);
    expect(results(await restoreDocuments(sam, [document.id]))).toEqual(['RESTORED']);
  });

  test('whoever loses the client can no longer restore its documents', async () => {
    const project = await freshProject();
    const document = await uploadAs(ada, project, 'lost.pdf', 'x');
    await put(ada, document);
    await unlink(project.clientId, ada);
    expect([
      results(await restoreDocuments(ada, [document.id])),
      results(await purgeDocuments(ada, [document.id])),
      await codeOf(listTrash(ada, project.clientId, 0)),
    ]).toEqual([['NOT_FOUND'], ['NOT_FOUND'], 'NOT_FOUND']);
  });

  test('restoring a document that was never deleted or does not exist answers "not found"', async () => {
    const document = await uploadAs(ada, projectA, 'live.pdf', 'x');
    expect([
      results(await restoreDocuments(ada, [document.id, newId('doc'), documentTwo.id])),
      results(await purgeDocuments(ada, [document.id, newId('doc'), documentTwo.id])),
    ]).toEqual([
      ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'],
      ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'],
    ]);
    expect(await codeOf(documentsByIds(ada, [document.id]))).toBe('OK');
  });
});

describe('removing documents permanently', () => {
  test('permanent removal deletes bytes and name, and leaves the data consistent', async () => {
    const [document, other] = [
      await uploadAs(ada, projectA, 'Secret name.pdf', 'secret'),
      await uploadAs(ada, projectA, 'stays in the trash.pdf', 'x'),
    ];
    const { blob_key: key } = await db()
      .selectFrom('documents')
      .select('blob_key')
      .where('document_id', '=', document.id)
      .executeTakeFirstOrThrow();
    await put(ada, document, other);
    expect(await purgeDocuments(ada, [document.id, document.id])).toEqual([
      { id: document.id, name: 'Secret name.pdf', result: 'PURGED' },
      { id: document.id, result: 'NOT_FOUND' },
    ]);
    expect([
      await inTrash(sam, clientA),
      results(await restoreDocuments(sam, [document.id, other.id])),
    ]).toEqual([expect.not.arrayContaining(['Secret name.pdf']), ['NOT_FOUND', 'RESTORED']]);
    const rows = [
      await db().selectFrom('documents').selectAll().where('document_id', '=', document.id).execute(),
      await db().selectFrom('blobs').selectAll().where('blob_key', '=', key).execute(),
      await db().selectFrom('document_reads').selectAll().where('document_id', '=', document.id).execute(),
    ];
    expect(rows.map((some) => some.length)).toEqual([1, 0, 0]);
    expect(
      await db()
        .selectFrom('document_reads')
        .select('contact_id')
        .where('document_id', '=', other.id)
        .execute(),
      'what is noted about others stays',
    ).toEqual([{ contact_id: ada.contactId }]);
    expect(JSON.stringify(rows)).not.toContain('Secret name');
    expect(JSON.stringify(rows)).not.toContain(document.sha256);
    await sweepBlobs(now() + HOUR);
    expect(await blobFiles()).not.toContain(key);
    expect((await verify()).faults).toEqual([]);
  });

  test('documents are removed permanently when their retention period ends, and not before', async () => {
    const project = await freshProject();
    const [old, young] = [
      await uploadAs(ada, project, 'old.pdf', 'o'),
      await uploadAs(ada, project, 'young.pdf', 'y'),
    ];
    const start = now();
    await at(start - 30 * DAY, () => put(ada, old));
    await at(start - 30 * DAY + 60_000, () => put(ada, young));
    expect([results(await restoreDocuments(sam, [old.id])), await inTrash(sam, project.clientId)]).toEqual([
      ['NOT_FOUND'],
      ['young.pdf'],
    ]);
    const [one, two] = await at(start, () => Promise.all([purgeOldTrash(), purgeOldTrash()]));
    expect(one + two).toBe(1);
    const entries = await db()
      .selectFrom('audit')
      .select(['actor', 'target'])
      .where('action', '=', 'document.purge')
      .where('client_id', '=', project.clientId)
      .execute();
    expect(entries).toEqual([{ actor: 'portal', target: old.id }]);
    expect(results(await restoreDocuments(ada, [young.id]))).toEqual(['RESTORED']);
    expect((await verify()).faults).toEqual([]);
  });

  test('the removal of more than a hundred expired documents continues until none is left', async () => {
    const project = await freshProject();
    for (let i = 0; i < 103; i += 1) {
      const document = await uploadAs(ada, project, 'many.pdf', 'x');
      await at(now() - 31 * DAY, () => put(ada, document));
    }
    expect(await purgeOldTrash()).toBe(103);
    expect(await purgeOldTrash()).toBe(0);
  });

  test('removing and restoring a document at the same moment does one of both', async () => {
    for (let round = 0; round < 6; round += 1) {
      const document = await uploadAs(ada, projectA, 'which.pdf', String(round));
      await put(ada, document);
      const [[restored], [purged]] = await Promise.all([
        restoreDocuments(ada, [document.id]),
        purgeDocuments(sam, [document.id]),
      ]);
      expect([purged?.result, restored?.result].toSorted()).toEqual(
        purged?.result === 'PURGED' ? ['NOT_FOUND', 'PURGED'] : ['NOT_FOUND', 'RESTORED'],
      );
    }
    expect((await verify()).faults).toEqual([]);
  });
});

describe('the trash calls', () => {
  const url = (document: Document) => document.deleteEndPoint ?? '';

  test('each document has the address to delete it, for those who may', async () => {
    const [adas, sams] = [
      await uploadAs(ada, projectA, 'mine.pdf', 'x'),
      await uploadAs(sam, projectA, 'theirs.pdf', 'x'),
    ];
    expect([adas.deleteEndPoint, sams.deleteEndPoint]).toEqual([
      `/api/storage/v1/projects/${projectA.id}/documents/${adas.id}`,
      `/api/storage/v1/projects/${projectA.id}/documents/${sams.id}`,
    ]);
    expect((await documentsByIds(ada, [sams.id]))[0]).not.toHaveProperty('deleteEndPoint');
    const answer = await apiAs(ada)('DELETE', url(adas));
    expect([answer.status, await answer.json()]).toMatchObject([200, { data: { id: adas.id } }]);
    expect((await apiAs(ada)('DELETE', url(adas))).status).toBe(404);
    const refused = await apiAs(ada)('DELETE', url(sams));
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { errors: [{ code: 'FORBIDDEN', reason: 'FORBIDDEN' }] },
    ]);
  });

  test('the calls move documents to the trash, list them, restore and remove them', async () => {
    const project = await freshProject();
    const document = await uploadAs(ada, project, 'around.pdf', 'x');
    const call = async (method: string, path: string, json?: unknown): Promise<[number, unknown]> => {
      const answer = await apiAs(ada)(
        method,
        `/api/storage/v1/documents/${path}`,
        json === undefined ? {} : { json },
      );
      return [answer.status, await answer.json()];
    };
    expect(await call('POST', 'trash', placed(document))).toMatchObject([200, { data: { id: document.id } }]);
    expect(await call('GET', `trash?clientId=${project.clientId}`)).toMatchObject([
      200,
      { data: { items: [{ id: document.id }], total: 1 } },
    ]);
    expect(await call('POST', 'restore', { ids: [document.id] })).toMatchObject([
      200,
      { data: { items: [{ id: document.id, result: 'RESTORED' }] } },
    ]);
    expect(await call('PUT', 'batch-delete', { docs: [placed(document)], staffUploads: [] })).toEqual([
      200,
      { data: { items: [{ id: document.id, name: 'around.pdf', result: 'DELETED' }] } },
    ]);
    expect(await call('POST', 'purge', { ids: [document.id] })).toEqual([
      200,
      { data: { items: [{ id: document.id, name: 'around.pdf', result: 'PURGED' }] } },
    ]);
    expect(await call('GET', `trash?clientId=${project.clientId}`)).toMatchObject([
      200,
      { data: { items: [], total: 0 } },
    ]);
  });

  test("the trash calls answer for somebody else's documents exactly as for unknown ones", async () => {
    const bens = await uploadAs(ben, projectB, 'of Ben alone.pdf', 'x');
    const [live, gone] = [bens, await uploadAs(ben, projectB, 'of Ben, deleted.pdf', 'x')];
    await put(ben, gone);
    const unknown = newId('doc');
    const texts = async (path: string, method: string, json: (id: string) => unknown) =>
      Promise.all(
        [unknown, live.id, gone.id, documentTwo.id].map(async (id) =>
          (
            await (await apiAs(ada)(method, `/api/storage/v1/documents/${path}`, { json: json(id) })).text()
          ).replaceAll(id, 'ID'),
        ),
      );
    for (const path of ['restore', 'purge'])
      expect(new Set(await texts(path, 'POST', (id) => ({ ids: [id] }))).size).toBe(1);
    expect(
      new Set(
        await texts('batch-delete', 'PUT', (Id) => ({
          docs: [{ Id, ContainerId: projectB.id, ContainerType: 'Project' }],
        })),
      ).size,
    ).toBe(1);
    expect(
      new Set(
        await texts('trash', 'POST', (Id) => ({ Id, ContainerId: projectB.id, ContainerType: 'Project' })),
      ).size,
    ).toBe(1);
    const lists = await Promise.all(
      [clientB, clientTwo, newId('client')].map(async (clientId) =>
        seen(await apiAs(ada)('GET', `/api/storage/v1/documents/trash?clientId=${clientId}`)),
      ),
    );
    expect(new Set(lists.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(JSON.stringify(lists)).not.toContain(CANARY);
    expect([
      await inTrash(ben, clientB),
      await codeOf(documentsByIds(ben, [live.id])),
      projectTwo.clientId,
    ]).toEqual([['of Ben, deleted.pdf'], 'OK', clientTwo]);
  });

  test('the trash calls change nothing while staff view as the contact', async () => {
    const [live, gone] = [
      await uploadAs(ada, projectA, 'looked at.pdf', 'x'),
      await uploadAs(ada, projectA, 'looked at in the trash.pdf', 'x'),
    ];
    await put(ada, gone);
    const session = impersonating(ada, sam);
    const call = apiAs(ada, session);
    const tried = [
      await call('DELETE', url(live)),
      await call('POST', '/api/storage/v1/documents/trash', { json: placed(live) }),
      await call('PUT', '/api/storage/v1/documents/batch-delete', { json: { docs: [placed(live)] } }),
      await call('POST', '/api/storage/v1/documents/restore', { json: { ids: [gone.id] } }),
      await call('POST', '/api/storage/v1/documents/purge', { json: { ids: [gone.id] } }),
    ];
    expect(
      await Promise.all(
        tried.map(async (answer) => [
          answer.status,
          ((await answer.json()) as { errors: { code: string }[] }).errors[0]?.code,
        ]),
      ),
    ).toEqual(tried.map(() => [403, 'EMULATION_READ_ONLY']));
    expect((await call('GET', `/api/storage/v1/documents/trash?clientId=${clientA}`)).status).toBe(200);
    expect([
      await codeOf(documentsByIds(ada, [live.id])),
      (await inTrash(ada, clientA)).includes(gone.name),
    ]).toEqual(['OK', true]);
  });
});
