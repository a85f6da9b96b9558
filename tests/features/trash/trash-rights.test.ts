import { describe, expect, test } from 'vitest';
import {
  chosenToDelete,
  listTrash,
  purgeDocuments,
  purgeOldTrash,
  restoreDocuments,
  trashDocument,
  trashDocuments,
} from '#features/documents/trash/trash.server.ts';
import { createFolder, createProject } from '#features/documents/folders/folders.server.ts';
import { documentsByIds } from '#features/documents/documents/documents.server.ts';
import { giveRole } from '#features/documents/folders/roles.server.ts';
import { setLocked } from '#features/documents/documents/rights.server.ts';
import type { Container } from '#features/documents/folders/folders.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import { accessFrom } from '#features/base/people/access-settings.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { at, DAY, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { client, uploadAs, makeCast } from '../../support/cast.ts';

/*
 * How roles, locks and the rules of the preview viewer apply to deleting, restoring and removing (spec 1
 * section 6).
 */

const { ada, cleo, sam, firmOne } = await makeCast();
const placed = ({ id, parent }: Document) => ({
  Id: id,
  ContainerId: parent.id,
  ContainerType: parent.containerType,
});
const results = (outcomes: readonly { result: string }[]) => outcomes.map(({ result }) => result);
const put = async (actor: Actor, ...documents: Document[]) =>
  results(await trashDocuments(actor, { docs: documents.map(placed), staffUploads: [] }));
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'OK',
    (error: unknown) => (error as { code?: string }).code ?? 'a fault',
  );

let counter = 0;
async function freshProject(): Promise<Container> {
  counter += 1;
  return createProject(sam, {
    clientId: await client(firmOne, `Rights ${counter}`, `R-${counter}`, [ada, cleo]),
    name: 'Papers',
  });
}

describe('contacts with the Owner role', () => {
  test('an Owner deletes, finds in the trash, restores and removes what others and staff uploaded', async () => {
    const project = await freshProject();
    const documents = [
      await uploadAs(sam, project, 'of staff.pdf', 's'),
      await uploadAs(cleo, project, 'of Cleo.pdf', 'c'),
    ];
    expect(await put(ada, ...documents)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
    await giveRole(sam, project.id, ada.contactId, 'Owner');
    expect(await put(ada, ...documents)).toEqual(['DELETED', 'DELETED']);
    expect(
      (await listTrash(ada, project.clientId, 0)).items.map(({ name, permissions }) => [name, permissions]),
    ).toEqual(expect.arrayContaining(documents.map(({ name }) => [name, { restore: true, purge: true }])));
    const [first, second] = documents.map(({ id }) => id) as [string, string];
    expect(results(await restoreDocuments(ada, [first]))).toEqual(['RESTORED']);
    expect(results(await purgeDocuments(ada, [second]))).toEqual(['PURGED']);
  });

  test('an Owner who loses the role can still restore their deletions but not remove permanently', async () => {
    const project = await freshProject();
    const document = await uploadAs(sam, project, 'of staff.pdf', 's');
    await giveRole(sam, project.id, ada.contactId, 'Owner');
    await put(ada, document);
    await giveRole(sam, project.id, ada.contactId, undefined);
    expect((await listTrash(ada, project.clientId, 0)).items[0]?.permissions).toEqual({
      restore: true,
      purge: false,
    });
    expect(results(await purgeDocuments(ada, [document.id]))).toEqual(['FORBIDDEN']);
    expect(results(await restoreDocuments(ada, [document.id]))).toEqual(['RESTORED']);
    expect(await put(ada, document)).toEqual(['FORBIDDEN']);
  });

  test('an Owner of one folder has no rights in the folder beside it', async () => {
    const project = await freshProject();
    const [one, other] = [
      await createFolder(sam, { name: 'One', parentId: project.id, parentType: 'Project' }),
      await createFolder(sam, { name: 'Other', parentId: project.id, parentType: 'Project' }),
    ];
    await giveRole(sam, one.id, ada.contactId, 'Owner');
    expect(
      await put(ada, await uploadAs(sam, one, 'here.pdf', 's'), await uploadAs(sam, other, 'there.pdf', 's')),
    ).toEqual(['DELETED', 'FORBIDDEN']);
  });
});

test('under the preview rules contacts delete and restore their own uploads as usual', async () => {
  const project = await freshProject();
  const inPreview = {
    ...ada,
    access: accessFrom(undefined, [{ kind: 'permission', name: 'ShowPreviewB4CCViewer', granted: true }]),
  };
  const document = await uploadAs(ada, project, 'own.pdf', 'x');
  expect(await put(inPreview, document, await uploadAs(cleo, project, 'of Cleo.pdf', 'x'))).toEqual([
    'DELETED',
    'FORBIDDEN',
  ]);
  expect(results(await restoreDocuments(inPreview, [document.id]))).toEqual(['RESTORED']);
});

describe('locked documents and folders', () => {
  test('nobody can delete a locked document or a document in a locked folder', async () => {
    const project = await freshProject();
    const folder = await createFolder(sam, { name: 'Inside', parentId: project.id, parentType: 'Project' });
    const [alone, inside, strange] = [
      await uploadAs(ada, project, 'alone.pdf', 'x'),
      await uploadAs(ada, folder, 'inside.pdf', 'x'),
      await uploadAs(cleo, folder, 'of Cleo.pdf', 'x'),
    ];
    await setLocked(sam, alone.id, true);
    await setLocked(sam, project.id, true);
    expect(await put(ada, inside, strange)).toEqual(['LOCKED', 'FORBIDDEN']);
    await setLocked(sam, project.id, false);
    for (const actor of [ada, sam])
      expect([
        await put(actor, alone),
        await codeOf(trashDocument(actor, { containerId: project.id, containerType: 'Project' }, alone.id)),
      ]).toEqual([['LOCKED'], 'LOCKED']);
    const { docs, locked, staffUploads } = await chosenToDelete(ada, [strange.id, alone.id, inside.id]);
    expect([docs, locked, staffUploads].map((group) => group.map(({ name }) => name))).toEqual([
      ['inside.pdf'],
      ['alone.pdf'],
      ['of Cleo.pdf'],
    ]);
    expect((await documentsByIds(ada, [alone.id]))[0]).not.toHaveProperty('deleteEndPoint');
    await setLocked(sam, alone.id, false);
    expect(await put(ada, alone)).toEqual(['DELETED']);
  });

  test('a document locked after its deletion can be restored, but is not removed by anybody or any sweep until it is released', async () => {
    const project = await freshProject();
    const folder = await createFolder(sam, { name: 'Inside', parentId: project.id, parentType: 'Project' });
    const [kept, back] = [
      await uploadAs(ada, folder, 'kept.pdf', 'x'),
      await uploadAs(ada, folder, 'back.pdf', 'x'),
    ];
    await at(now() - 29 * DAY, () => put(ada, kept, back));
    await setLocked(sam, project.id, true);
    for (const actor of [ada, sam])
      expect(results(await purgeDocuments(actor, [kept.id]))).toEqual(['LOCKED']);
    expect((await listTrash(ada, project.clientId, 0)).items.map(({ permissions }) => permissions)).toEqual([
      { restore: true, purge: false },
      { restore: true, purge: false },
    ]);
    expect(results(await restoreDocuments(ada, [back.id]))).toEqual(['RESTORED']);
    const isKept = async () =>
      (
        await db()
          .selectFrom('documents')
          .select('purged_at')
          .where('document_id', '=', kept.id)
          .executeTakeFirstOrThrow()
      ).purged_at === null;
    await at(now() + 2 * DAY, () => purgeOldTrash());
    expect(await isKept()).toBe(true);
    await setLocked(sam, project.id, false);
    await at(now() + 2 * DAY, () => purgeOldTrash());
    expect(await isKept()).toBe(false);
  });
});
