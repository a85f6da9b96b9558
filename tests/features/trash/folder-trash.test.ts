import { expect, test } from 'vitest';
import { addDocument } from '#features/documents/documents/adding.server.ts';
import { setLocked } from '#features/documents/documents/rights.server.ts';
import { createFolder } from '#features/documents/folders/folders.server.ts';
import { listContainers } from '#features/documents/folders/tree.server.ts';
import {
  listDeletedFolders,
  purgeOldFolders,
  restoreFolder,
  trashFolder,
} from '#features/documents/trash/folder-trash.server.ts';
import {
  listTrash,
  purgeOldTrash,
  restoreDocuments,
  trashDocument,
} from '#features/documents/trash/trash.server.ts';
import { DAY, moveClock } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { bytesAfter, fileOf, makeCast, pdf, uploadAs } from '../../support/cast.ts';

const { ada, cleo, sam, zoe, clientA, projectA } = await makeCast();

async function folder(actor: typeof sam, name: string, parent = projectA) {
  return createFolder(actor, { name, parentId: parent.id, parentType: parent.containerType });
}
const ids = async () => (await listContainers(sam, clientA)).map(({ id }) => id);

test('a deleted folder is one thing in the trash and comes back with what was deleted with it', async () => {
  const top = await folder(sam, 'Deleted');
  const below = await folder(sam, 'Below', top);
  const before = await uploadAs(sam, top, 'deleted before.pdf', '0');
  await trashDocument(sam, { containerType: 'Folder', containerId: top.id }, before.id);
  await uploadAs(sam, top, 'one.pdf', '1');
  await uploadAs(sam, below, 'two.pdf', '2');
  await trashFolder(sam, 'Folder', top.id);
  expect(await ids()).not.toContain(top.id);
  expect(await ids()).not.toContain(below.id);
  expect(await listDeletedFolders(sam, clientA)).toMatchObject([
    { id: top.id, name: 'Deleted', documentCount: 2, deletedBy: 'Sam Staff' },
  ]);
  expect((await listTrash(sam, clientA, 0)).items.map(({ id }) => id)).toEqual([before.id]);
  await folder(sam, 'deleted');
  expect(await restoreFolder(sam, top.id)).toMatchObject({ name: 'Deleted (1)', documentCount: 1 });
  expect((await listContainers(sam, clientA)).find(({ id }) => id === below.id)).toMatchObject({
    name: 'Below',
    documentCount: 1,
  });
  expect(await listDeletedFolders(sam, clientA)).toEqual([]);
  await expect(restoreFolder(sam, top.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a contact deletes their own folder, but not one with a document of somebody else or a locked one', async () => {
  const own = await folder(ada, 'Of Ada');
  await expect(trashFolder(cleo, 'Folder', own.id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(trashFolder(zoe, 'Folder', own.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const theirs = await uploadAs(sam, own, 'of the firm.pdf', '1');
  await expect(trashFolder(ada, 'Folder', own.id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await setLocked(sam, theirs.id, true);
  await expect(trashFolder(sam, 'Folder', own.id)).rejects.toMatchObject({ code: 'LOCKED' });
  await setLocked(sam, theirs.id, false);
  await trashDocument(sam, { containerType: 'Folder', containerId: own.id }, theirs.id);
  await trashFolder(ada, 'Folder', own.id);
  expect(await listDeletedFolders(cleo, clientA)).toEqual([]);
  await expect(restoreFolder(cleo, own.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(trashFolder(ada, 'Project', projectA.id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  // the document was deleted before and its folder is gone now
  expect(await restoreDocuments(sam, [theirs.id])).toMatchObject([{ result: 'RESTORED', moved: true }]);
});

test('an upload to a folder that is deleted meanwhile leaves nothing', async () => {
  const top = await folder(sam, 'Deleted meanwhile');
  const adding = addDocument(ada, {
    containerType: 'Folder',
    containerId: top.id,
    name: 'late.pdf',
    onConflict: 'rename',
    bytes: bytesAfter(
      () => trashFolder(sam, 'Folder', top.id),
      () => fileOf(pdf('late')),
    ),
  });
  await expect(adding).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await restoreFolder(sam, top.id)).documentCount).toBe(0);
});

test('the name of a deleted folder is removed after the time of the trash, once its documents are', async () => {
  const top = await folder(sam, 'Forgotten');
  await uploadAs(sam, top, 'forgotten.pdf', 'f');
  await trashFolder(sam, 'Folder', top.id);
  const nameOf = async () =>
    (
      await db()
        .selectFrom('containers')
        .select('name')
        .where('container_id', '=', top.id)
        .executeTakeFirstOrThrow()
    ).name;
  await purgeOldFolders();
  expect(await nameOf()).toBe('Forgotten');
  moveClock(31 * DAY);
  await purgeOldFolders();
  expect(await nameOf()).toBe('Forgotten');
  await purgeOldTrash();
  await purgeOldFolders();
  expect(await nameOf()).toBe('');
});
