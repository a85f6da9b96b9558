import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { setLocked } from '#features/documents/documents/rights.server.ts';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { trashFolder } from '#features/documents/trash/folder-trash.server.ts';
import { copyItems } from '#features/documents/filing/copying.server.ts';
import { folderCopyProgress, MAX_TOGETHER } from '#features/documents/filing/folder-copies.server.ts';
import { moveItems, undoMove } from '#features/documents/filing/moving.server.ts';
import { renameDocument, renameFolder } from '#features/documents/filing/renaming.server.ts';
import { createFolder, defaultFolder, startProject } from '#features/documents/folders/folders.server.ts';
import { giveRole } from '#features/documents/folders/roles.server.ts';
import { listContainers } from '#features/documents/folders/tree.server.ts';
import { listStored } from '#platform/storage/blobs.server.ts';
import { HOUR, moveClock, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { makeCast, person, unlink, uploadAs } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';

const { ada, ben, cleo, sam, zoe, firmOne, clientA, clientB, projectA, projectB, projectTwo } =
  await makeCast();
const reader = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });

const folderIn = (
  actor: typeof sam,
  parent: { id: string; containerType: 'Client' | 'Project' | 'Folder' },
  name: string,
) => createFolder(actor, { name, parentId: parent.id, parentType: parent.containerType });
const named = (name: string) => ({ name, changeExtension: false });
const into = (place: { id: string; containerType: 'Client' | 'Project' | 'Folder' }) => ({
  documentIds: [] as string[],
  folderIds: [] as string[],
  containerId: place.id,
  containerType: place.containerType,
});
const countIn = async (clientId: string, id: string) =>
  (await listContainers(sam, clientId)).find((each) => each.id === id)?.documentCount;
const search = async (name: string) =>
  (await listDocuments(sam, clientA, documentQuery.parse({ clientId: clientA, name }))).items.map(
    (row) => row.name,
  );

describe('renaming', () => {
  test('a renamed document keeps its extension and is found by its new name only', async () => {
    const { id } = await uploadAs(ada, projectA, 'quartz.pdf', 'a');
    expect((await renameDocument(ada, id, named('Obsidian v1.2'))).name).toBe('Obsidian v1.2.pdf');
    expect(await search('obsidian')).toEqual(['Obsidian v1.2.pdf']);
    expect(await search('quartz')).toEqual([]);
  });

  test('a taken name is refused with a free one, and other upper and lower case of its own name is not', async () => {
    const { id } = await uploadAs(ada, projectA, 'basalt.pdf', 'a');
    await uploadAs(sam, projectA, 'granite.pdf', 'b');
    await expect(renameDocument(ada, id, named('GRANITE.pdf'))).rejects.toMatchObject({
      code: 'NAME_CONFLICT',
      details: { suggestion: 'GRANITE (1).pdf' },
    });
    expect((await renameDocument(ada, id, named('Basalt.pdf'))).name).toBe('Basalt.pdf');
  });

  test('only staff change an extension, and only to one that fits the content', async () => {
    const { id } = await uploadAs(ada, projectA, 'marble.pdf', 'a');
    expect((await renameDocument(ada, id, { name: 'marble.txt', changeExtension: true })).name).toBe(
      'marble.txt.pdf',
    );
    await expect(
      renameDocument(sam, id, { name: 'marble.xlsx', changeExtension: true }),
    ).rejects.toMatchObject({ code: 'TYPE_NOT_ALLOWED' });
    await expect(
      renameDocument(sam, id, { name: 'marble.exe', changeExtension: true }),
    ).rejects.toMatchObject({ code: 'TYPE_NOT_ALLOWED' });
  });

  test('a contact renames only their own documents, an Owner all, and nobody a locked one', async () => {
    const { id } = await uploadAs(sam, projectA, 'slate.pdf', 'a');
    await expect(renameDocument(ada, id, named('x'))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(renameDocument(reader, id, named('x'))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(renameDocument(zoe, id, named('x'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(renameDocument(ben, id, named('x'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await giveRole(sam, projectA.id, ada.contactId, 'Owner');
    expect((await renameDocument(ada, id, named('slate by an Owner'))).name).toBe('slate by an Owner.pdf');
    await giveRole(sam, projectA.id, ada.contactId, undefined);
    await setLocked(sam, id, true);
    await expect(renameDocument(sam, id, named('x'))).rejects.toMatchObject({ code: 'LOCKED' });
  });

  test('a folder is renamed by who made it, and the upload folder and the client by nobody', async () => {
    const folder = await folderIn(ada, projectA, 'Gneiss');
    await folderIn(sam, projectA, 'Schist');
    expect((await renameFolder(ada, 'Folder', folder.id, 'Gneiss 2')).name).toBe('Gneiss 2');
    await expect(renameFolder(ada, 'Folder', folder.id, 'SCHIST')).rejects.toMatchObject({
      code: 'NAME_CONFLICT',
      details: { suggestion: 'SCHIST (1)' },
    });
    await expect(renameFolder(cleo, 'Folder', folder.id, 'x')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(renameFolder(zoe, 'Folder', folder.id, 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const uploads = await defaultFolder(ada, clientA);
    await expect(renameFolder(sam, 'Project', uploads.id, 'x')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('moving', () => {
  test('documents and folders move together, counts follow, and a taken name gets a number', async () => {
    const from = await folderIn(sam, projectA, 'From');
    const to = await folderIn(sam, projectA, 'To');
    const inner = await folderIn(sam, from, 'Inner');
    await folderIn(sam, to, 'inner');
    const one = await uploadAs(sam, from, 'one.pdf', '1');
    await uploadAs(sam, to, 'ONE.pdf', '2');
    const filed = await moveItems(sam, { ...into(to), documentIds: [one.id], folderIds: [inner.id] });
    expect(filed).toEqual([
      { id: one.id, name: 'one (1).pdf', formerName: 'one.pdf', result: 'MOVED' },
      { id: inner.id, name: 'Inner (1)', formerName: 'Inner', result: 'MOVED' },
    ]);
    expect([await countIn(clientA, from.id), await countIn(clientA, to.id)]).toEqual([0, 2]);
  });

  test('a folder never moves into itself, and not deeper than the limit', async () => {
    const top = await folderIn(sam, projectA, 'Cycle');
    const below = await folderIn(sam, top, 'Below');
    expect(await moveItems(sam, { ...into(below), folderIds: [top.id] })).toMatchObject([
      { result: 'CYCLE' },
    ]);
    expect(await moveItems(sam, { ...into(top), folderIds: [top.id] })).toMatchObject([{ result: 'CYCLE' }]);
    let deep = await folderIn(sam, projectA, 'Deep');
    for (let level = 3; level < 20; level += 1) deep = await folderIn(sam, deep, 'Deep');
    expect(await moveItems(sam, { ...into(deep), folderIds: [top.id] })).toMatchObject([
      { result: 'TOO_DEEP' },
    ]);
    expect(await moveItems(sam, { ...into(deep), folderIds: [below.id] })).toMatchObject([
      { result: 'MOVED' },
    ]);
  });

  test('nothing moves to another client, and what is somebody else’s or locked stays', async () => {
    const mine = await uploadAs(ada, projectA, 'mine.pdf', '1');
    const theirs = await uploadAs(sam, projectA, 'theirs.pdf', '2');
    const to = await folderIn(ada, projectA, 'Ada moves');
    expect(
      await moveItems(ada, { ...into(to), documentIds: [mine.id, theirs.id, 'doc_none'] }),
    ).toMatchObject([{ result: 'MOVED' }, { result: 'FORBIDDEN' }, { result: 'NOT_FOUND' }]);
    expect(await moveItems(sam, { ...into(projectB), documentIds: [mine.id] })).toMatchObject([
      { result: 'OTHER_CLIENT' },
    ]);
    await setLocked(sam, to.id, true);
    expect(await moveItems(sam, { ...into(projectA), folderIds: [to.id] })).toMatchObject([
      { result: 'LOCKED' },
    ]);
    await expect(moveItems(ada, { ...into(projectTwo), documentIds: [mine.id] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(moveItems(reader, { ...into(projectA), documentIds: [mine.id] })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  test('staff never move documents of the firm into the client’s own upload folder', async () => {
    const uploads = await defaultFolder(ada, clientA);
    const document = await uploadAs(sam, projectA, 'of the firm.pdf', '1');
    expect(await moveItems(sam, { ...into(uploads), documentIds: [document.id] })).toMatchObject([
      { result: 'FORBIDDEN' },
    ]);
  });
});

describe('copying', () => {
  test('a copy at another client is a document of its own, unread there, with a confirmation', async () => {
    const source = await uploadAs(sam, projectA, 'copied.pdf', '1');
    const [copy] = await copyItems(sam, { ...into(projectB), documentIds: [source.id] });
    expect(copy).toMatchObject({ name: 'copied.pdf', result: 'COPIED' });
    const rows = await db()
      .selectFrom('documents')
      .selectAll()
      .where('document_id', 'in', [source.id, copy?.newId ?? ''])
      .execute();
    expect(new Set(rows.map((row) => row.blob_key)).size).toBe(2);
    expect(new Set(rows.map((row) => row.sha256)).size).toBe(1);
    const { rows: unread } = await sql`select document_id from unread
      where document_id = ${copy?.newId} and contact_id = ${ben.contactId}`.execute(db());
    expect(unread).toHaveLength(1);
    const audited = await db()
      .selectFrom('audit')
      .select('action')
      .where('target', '=', copy?.newId ?? '')
      .orderBy('action')
      .execute();
    expect(audited).toEqual([{ action: 'document.copy' }, { action: 'document.upload' }]);
  });

  test('a folder is copied with its folders and documents', async () => {
    const top = await folderIn(sam, projectA, 'Copied folder');
    const below = await folderIn(sam, top, '2026');
    await uploadAs(sam, below, 'deep.pdf', '1');
    const [copy] = await copyItems(sam, { ...into(projectB), folderIds: [top.id] });
    expect(copy).toMatchObject({ name: 'Copied folder', result: 'COPIED' });
    const all = await listContainers(sam, clientB);
    const inner = all.find(({ parentId }) => parentId === copy?.newId);
    expect(inner).toMatchObject({ name: '2026', documentCount: 1 });
  });

  test('a contact copies only between clients of theirs, and not without the right to add', async () => {
    const source = await uploadAs(cleo, projectA, 'of cleo.pdf', '1');
    expect(await copyItems(cleo, { ...into(projectB), documentIds: [source.id] })).toMatchObject([
      { result: 'COPIED' },
    ]);
    await expect(copyItems(ada, { ...into(projectB), documentIds: [source.id] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await copyItems(ben, { ...into(projectB), documentIds: [source.id] })).toEqual([
      { id: source.id, result: 'NOT_FOUND' },
    ]);
    await expect(copyItems(reader, { ...into(projectB), documentIds: [source.id] })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });
});

test('staff create a project with product type and year, others do not', async () => {
  const input = { clientId: clientA, name: 'Payroll 2026', productType: 'Payroll', processingYear: 2026 };
  expect(await startProject(sam, input)).toMatchObject({ productType: 'Payroll', processingYear: 2026 });
  await expect(startProject(sam, input)).rejects.toMatchObject({ code: 'NAME_CONFLICT' });
  for (const actor of [ada, reader])
    await expect(startProject(actor, { ...input, name: 'x' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(startProject(zoe, { ...input, name: 'x' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

describe('undoing a move', () => {
  test('documents and folders go back to where they were', async () => {
    const [from, other, target] = [
      await folderIn(sam, projectA, 'Undo from'),
      await folderIn(sam, projectA, 'Undo other'),
      await folderIn(sam, projectA, 'Undo target'),
    ];
    const { id } = await uploadAs(sam, from, 'Undone.pdf', 'undone');
    await moveItems(sam, { ...into(target), documentIds: [id], folderIds: [other.id] });
    expect(
      await undoMove(sam, [
        { id, from: from.id },
        { id: other.id, from: projectA.id },
      ]),
    ).toMatchObject([{ result: 'MOVED' }, { result: 'MOVED' }]);
    expect(await countIn(clientA, from.id)).toBe(1);
    expect((await listContainers(sam, clientA)).find((each) => each.id === other.id)?.parentId).toBe(
      projectA.id,
    );
  });

  test('it takes the same rights as a move: nothing for others, readers, and a folder of another client', async () => {
    const target = await folderIn(sam, projectA, 'Undo denied');
    const { id } = await uploadAs(sam, target, 'Undo denied.pdf', 'denied');
    expect(await undoMove(zoe, [{ id, from: projectA.id }])).toMatchObject([{ result: 'NOT_FOUND' }]);
    await expect(undoMove(reader, [{ id, from: projectA.id }])).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await undoMove(sam, [{ id, from: projectB.id }])).toMatchObject([{ result: 'OTHER_CLIENT' }]);
    expect(await undoMove(sam, [{ id, from: 'folder_gone' }])).toMatchObject([{ result: 'NOT_FOUND' }]);
    expect(await countIn(clientA, target.id)).toBe(1);
  });
});

describe('a folder that cannot be copied as a whole', () => {
  test('leaves no folder, no document and no bytes', async () => {
    const folder = await folderIn(sam, projectA, 'Half a copy');
    await uploadAs(sam, folder, 'Good.pdf', 'good');
    await uploadAs(sam, folder, 'Wrong.pdf', 'wrong');
    const blobs = async () => (await db().selectFrom('blobs').select('blob_key').execute()).length;
    const stored = async () => (await Array.fromAsync(listStored())).length;
    const before = [await blobs(), await stored(), (await listContainers(sam, clientB)).length];
    // the limit of an hour is reached in the middle
    const used = { limit_key: `uploads:${sam.contactId}`, used: 4999, resets_at: now() + HOUR };
    await db().deleteFrom('limits').where('limit_key', '=', used.limit_key).execute();
    await db().insertInto('limits').values(used).execute();
    expect(await copyItems(sam, { ...into(projectB), folderIds: [folder.id] })).toMatchObject([
      { id: folder.id, result: 'TOO_MANY' },
    ]);
    await db().deleteFrom('limits').where('limit_key', '=', used.limit_key).execute();
    expect([await blobs(), await stored(), (await listContainers(sam, clientB)).length]).toEqual(before);
  });
});

describe('a folder with many documents', () => {
  const TOTAL = MAX_TOGETHER + 5;
  /** A folder with a folder in it, and documents in both. */
  async function largeFolder(name: string) {
    const top = await folderIn(sam, projectA, name);
    const inner = await folderIn(sam, top, 'Inner');
    for (let i = 0; i < TOTAL; i += 1)
      await uploadAs(sam, i % 2 === 0 ? top : inner, `${name} ${i}.pdf`, `${name} ${i}`);
    return top;
  }
  const namesBelow = async (id: string) => {
    const all = (await listContainers(sam, clientB)).filter((each) => each.id === id || each.parentId === id);
    const rows = await db()
      .selectFrom('documents')
      .select(['name', 'sha256'])
      .where(
        'container_id',
        'in',
        all.map((each) => each.id),
      )
      .where('deleted_at', 'is', null)
      .orderBy('name')
      .execute();
    return rows.map((row) => `${row.name} ${row.sha256}`);
  };
  const start = async (folder: { id: string }) => {
    const [copy] = await copyItems(sam, { ...into(projectB), folderIds: [folder.id] });
    expect(copy).toMatchObject({ id: folder.id, result: 'STARTED' });
    return copy?.newId ?? '';
  };
  const sourceNames = async (id: string) => {
    const { rows } = await sql<{ line: string }>`select name || ' ' || sha256 as line from documents
      where container_id in (select container_id from containers where container_id = ${id} or parent_id = ${id})
      order by name`.execute(db());
    return rows.map(({ line }) => line);
  };

  test('is copied in the background, with its folders, each document once', async () => {
    const folder = await largeFolder('Large');
    const newId = await start(folder);
    expect(await folderCopyProgress(sam, newId)).toEqual({
      done: 0,
      total: TOTAL,
      state: 'copying',
      isFull: false,
    });
    expect(await folderCopyProgress(ada, newId), 'who may not see the folder').toBeUndefined();
    expect(await folderCopyProgress(zoe, newId), 'another firm').toBeUndefined();
    await runDueJobs();
    expect(await folderCopyProgress(sam, newId)).toBeUndefined();
    expect(await namesBelow(newId)).toEqual(await sourceNames(folder.id));
    expect(await namesBelow(newId)).toHaveLength(TOTAL);
    const { rows } = await sql<{
      count: number;
    }>`select count(*) as count from audit where action = 'document.copy'
      and target in (select document_id from documents where container_id = ${newId})`.execute(db());
    expect(Number(rows[0]?.count)).toBe(Math.ceil(TOTAL / 2));
  });

  test('stops with its progress shown when its copy is deleted meanwhile, and leaves no bytes behind', async () => {
    const folder = await largeFolder('Stopped');
    const newId = await start(folder);
    const inner = (await listContainers(sam, clientB)).find((each) => each.parentId === newId);
    await trashFolder(sam, 'Folder', inner?.id ?? '');
    const stored = async () => (await Array.fromAsync(listStored())).length;
    const before = await stored();
    await runDueJobs();
    expect(await folderCopyProgress(sam, newId)).toEqual({
      done: 0,
      total: TOTAL,
      state: 'stopped',
      isFull: false,
    });
    expect([await namesBelow(newId), await stored()]).toEqual([[], before]);
  });

  test('waits when the limit of an hour is reached, and continues by itself', async () => {
    const folder = await largeFolder('Waiting');
    const newId = await start(folder);
    const used = { limit_key: `uploads:${sam.contactId}`, used: 4999, resets_at: now() + HOUR };
    await db().deleteFrom('limits').where('limit_key', '=', used.limit_key).execute();
    await db().insertInto('limits').values(used).execute();
    await runDueJobs();
    expect(await folderCopyProgress(sam, newId)).toMatchObject({ done: 0, state: 'waiting' });
    expect(await namesBelow(newId)).toEqual([]);
    await db().deleteFrom('limits').where('limit_key', '=', used.limit_key).execute();
    moveClock(HOUR);
    await runDueJobs();
    expect(await folderCopyProgress(sam, newId)).toBeUndefined();
    expect(await namesBelow(newId)).toEqual(await sourceNames(folder.id));
  });

  test('is not copied further for someone who lost the client that it is copied from', async () => {
    const folder = await largeFolder('Withdrawn');
    const [copy] = await copyItems(cleo, { ...into(projectB), folderIds: [folder.id] });
    expect(copy).toMatchObject({ result: 'STARTED' });
    await unlink(clientA, cleo);
    await runDueJobs();
    expect(await folderCopyProgress(sam, copy?.newId ?? '')).toMatchObject({ done: 0, state: 'stopped' });
    expect(await namesBelow(copy?.newId ?? '')).toEqual([]);
  });
});
