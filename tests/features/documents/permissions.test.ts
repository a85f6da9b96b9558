import { describe, expect, test } from 'vitest';
import { permissionsOn } from '#features/documents/folders/permissions.server.ts';
import { addDocument } from '#features/documents/documents/adding.server.ts';
import { createFolder, createProject, defaultFolder } from '#features/documents/folders/folders.server.ts';
import { documentsByIds, listDocuments } from '#features/documents/documents/documents.server.ts';
import { giveRole, type Role } from '#features/documents/folders/roles.server.ts';
import { listContainers } from '#features/documents/folders/tree.server.ts';
import { setLocked } from '#features/documents/documents/rights.server.ts';
import { container } from '#features/documents/folders/folders.ts';
import { document, documentQuery } from '#features/documents/documents/documents.ts';
import { accessFrom } from '#features/base/people/access-settings.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { client, everyRow, fileOf, uploadAs, makeCast, pdf } from '../../support/cast.ts';

/*
 * The permissions of spec 1 section 6, one row per case: role, owner of the item, lock, and whether the rules
 * of the preview viewer apply. The letters are a for add, u for update, d for delete; everybody may read.
 */

const cast = await makeCast();
const { ada, cleo, sam, ben, zoe, clientA, projectB, projectTwo, firmOne } = cast;
const inPreview = (actor: Actor): Actor => ({
  ...actor,
  access: accessFrom(actor.role, [{ kind: 'permission', name: 'ShowPreviewB4CCViewer', granted: true }]),
});
const letters = ({ addContents, update, delete: remove, read }: ReturnType<typeof permissionsOn>): string =>
  `${read ? '' : 'unreadable '}${addContents ? 'a' : '-'}${update ? 'u' : '-'}${remove ? 'd' : '-'}`;

type Row = [
  role: Role,
  whose: 'own' | 'other',
  lock: 'free' | 'frozen',
  rules: 'usual' | 'preview',
  rights: string,
];

const CONTAINERS: Row[] = [
  ['Owner', 'own', 'free', 'usual', 'aud'],
  ['Owner', 'other', 'free', 'usual', 'aud'],
  ['Owner', 'own', 'frozen', 'usual', 'a--'],
  ['Owner', 'other', 'frozen', 'usual', 'a--'],
  ['Contributor', 'own', 'free', 'usual', 'aud'],
  ['Contributor', 'other', 'free', 'usual', 'au-'],
  ['Contributor', 'own', 'frozen', 'usual', 'a--'],
  ['Contributor', 'other', 'frozen', 'usual', 'a--'],
  ['Owner', 'own', 'free', 'preview', 'aud'],
  ['Owner', 'other', 'free', 'preview', 'aud'],
  ['Owner', 'own', 'frozen', 'preview', 'a--'],
  ['Owner', 'other', 'frozen', 'preview', 'a--'],
  ['Contributor', 'own', 'free', 'preview', 'aud'],
  ['Contributor', 'other', 'free', 'preview', '---'],
  ['Contributor', 'own', 'frozen', 'preview', 'a--'],
  ['Contributor', 'other', 'frozen', 'preview', '---'],
];
const DOCUMENTS: Row[] = [
  ['Owner', 'own', 'free', 'usual', '-ud'],
  ['Owner', 'other', 'free', 'usual', '-ud'],
  ['Owner', 'own', 'frozen', 'usual', '---'],
  ['Owner', 'other', 'frozen', 'usual', '---'],
  ['Contributor', 'own', 'free', 'usual', '-ud'],
  ['Contributor', 'other', 'free', 'usual', '---'],
  ['Contributor', 'own', 'frozen', 'usual', '---'],
  ['Contributor', 'other', 'frozen', 'usual', '---'],
  ['Owner', 'other', 'free', 'preview', '-ud'],
  ['Contributor', 'own', 'free', 'preview', '-ud'],
  ['Contributor', 'other', 'free', 'preview', '---'],
  ['Contributor', 'own', 'frozen', 'preview', '---'],
];

describe.each([
  ['container', CONTAINERS],
  ['document', DOCUMENTS],
] as const)('permissions on a %s', (of, rows) => {
  test.each(rows)(
    'the permissions with role %s on the %s item (%s) under the %s rules are %s',
    (role, whose, lock, rules, rights) => {
      const actor = rules === 'preview' ? inPreview(ada) : ada;
      expect(
        letters(
          permissionsOn(actor, whose === 'own' ? ada.contactId : sam.contactId, {
            of,
            role,
            isLocked: lock === 'frozen',
          }),
        ),
      ).toBe(rights);
    },
  );
});

let clients = 0;
/**
 * A client of Ada and Cleo: a project of the firm, a folder of Ada in it, and a folder of the firm in that.
 */
async function branch() {
  const clientId = await client(firmOne, `Rights ${(clients += 1)}`, `R-${clients}`, [ada, cleo]);
  const project = await createProject(sam, { clientId, name: 'Project' });
  const folder = await createFolder(ada, { name: 'Folder', parentId: project.id, parentType: 'Project' });
  const inner = await createFolder(sam, { name: 'Inner', parentId: folder.id, parentType: 'Folder' });
  const rights = async (actor: Actor, id: string) => {
    const found = (await listContainers(actor, clientId)).find((one) => one.id === id);
    return found && letters(found.permissions);
  };
  return { clientId, project, folder, inner, rights };
}

describe('roles', () => {
  test('the role on a container comes from its nearest ancestor with a role', async () => {
    const { project, folder, inner, rights } = await branch();
    expect(await rights(cleo, inner.id)).toBe('au-');
    await giveRole(sam, project.id, cleo.contactId, 'Owner');
    expect([
      await rights(cleo, project.id),
      await rights(cleo, folder.id),
      await rights(cleo, inner.id),
    ]).toEqual(['aud', 'aud', 'aud']);
    await giveRole(sam, folder.id, cleo.contactId, 'Contributor');
    expect([
      await rights(cleo, project.id),
      await rights(cleo, folder.id),
      await rights(cleo, inner.id),
    ]).toEqual(['aud', 'au-', 'au-']);
    expect(await rights(ada, inner.id), 'it is the role of one contact').toBe('au-');
    await giveRole(sam, folder.id, cleo.contactId, undefined);
    expect(await rights(cleo, inner.id)).toBe('aud');
  });

  test('a role applies to documents in the container: an Owner deletes what the firm uploaded', async () => {
    const { project, inner } = await branch();
    const { id } = await uploadAs(sam, inner, 'Of the firm.pdf', 'x');
    const mayDelete = async (actor: Actor) => (await documentsByIds(actor, [id]))[0]?.permissions.delete;
    expect(await mayDelete(ada)).toBe(false);
    await giveRole(sam, project.id, ada.contactId, 'Owner');
    expect([await mayDelete(ada), await mayDelete(cleo), await mayDelete(sam)]).toEqual([true, false, true]);
  });

  test('only staff of the firm assign roles, in its own containers and to its own contacts', async () => {
    const before = await everyRow();
    await expect(giveRole(ada, cast.projectA.id, ada.contactId, 'Owner')).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    for (const [containerId, contactId] of [
      [projectTwo.id, ada.contactId],
      [cast.projectA.id, zoe.contactId],
      [newId('folder'), ada.contactId],
    ] as const) {
      await expect(giveRole(sam, containerId, contactId, 'Owner')).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    }
    expect(await everyRow()).toEqual(before);
  });

  test('a role gives no access to anybody who does not act for the client', async () => {
    await giveRole(sam, projectB.id, ada.contactId, 'Owner');
    await expect(
      createFolder(ada, { name: 'Mine', parentId: projectB.id, parentType: 'Project' }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await listContainers(ben, cast.clientB)).map(({ id }) => id)).toContain(projectB.id);
  });
});

describe('a Read lock of level Master', () => {
  test('a Master lock makes a container and its descendants read-only for everybody until it is released', async () => {
    const { project, folder, inner, rights } = await branch();
    const { id } = await uploadAs(ada, inner, 'Mine.pdf', 'x');
    const onDocument = async (actor: Actor) =>
      letters((await documentsByIds(actor, [id]))[0]?.permissions as ReturnType<typeof permissionsOn>);
    await setLocked(sam, folder.id, true);
    for (const actor of [ada, cleo, sam])
      expect([
        await rights(actor, folder.id),
        await rights(actor, inner.id),
        await onDocument(actor),
      ]).toEqual(['a--', 'a--', '---']);
    expect(await rights(ada, project.id), 'what is above is free').toBe('au-');
    await setLocked(sam, folder.id, false);
    expect([await rights(ada, folder.id), await onDocument(ada)]).toEqual(['aud', '-ud']);
  });

  test('a lock on one document leaves its neighbours unlocked', async () => {
    const { clientId, folder } = await branch();
    const [frozen, free] = [
      await uploadAs(ada, folder, 'Locked.pdf', 'x'),
      await uploadAs(ada, folder, 'Free.pdf', 'x'),
    ];
    await setLocked(sam, frozen.id, true);
    const { items } = await listDocuments(ada, clientId, documentQuery.parse({}));
    expect(
      items.map(({ id, permissions }) => [id === free.id, permissions.update, permissions.delete]),
    ).toEqual(
      expect.arrayContaining([
        [true, true, true],
        [false, false, false],
      ]),
    );
  });

  test('only staff of the firm set locks', async () => {
    const before = await everyRow();
    await expect(setLocked(ada, cast.projectA.id, true)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    for (const id of [projectTwo.id, cast.documentTwo.id, newId('doc')])
      await expect(setLocked(sam, id, true)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await everyRow()).toEqual(before);
  });
});

describe('under the rules of the preview viewer', () => {
  test('under the preview rules a contact adds only to their own folders and the upload folder', async () => {
    const { clientId, project, folder } = await branch();
    const uploads = await defaultFolder(cleo, clientId, 'From you');
    const adds = (actor: Actor, { id, containerType }: typeof project) =>
      addDocument(actor, {
        containerId: id,
        containerType,
        name: `${newId('n')}.pdf`,
        bytes: fileOf(pdf('x')),
        onConflict: 'fail',
      }).then(
        ({ permissions }) => permissions.delete,
        (error: unknown) => (error as { code: string }).code,
      );
    expect([
      await adds(inPreview(ada), project),
      await adds(inPreview(ada), folder),
      await adds(inPreview(ada), uploads),
    ]).toEqual(['FORBIDDEN', true, true]);
    await expect(
      createFolder(inPreview(ada), { name: 'No', parentId: project.id, parentType: 'Project' }),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await adds(ada, project), 'without them it is open').toBe(true);
  });
});

test('every permission is always sent: an answer with one missing violates the contract', async () => {
  const given = { addContents: true, read: true, update: true, delete: true };
  for (const contract of [container.shape.permissions, document.shape.permissions]) {
    expect(contract.safeParse(given).success).toBe(true);
    for (const name of Object.keys(given))
      expect(contract.safeParse({ ...given, [name]: undefined }).success).toBe(false);
  }
  expect(
    (await listContainers(ada, clientA)).every(({ permissions }) => Object.keys(permissions).length === 4),
  ).toBe(true);
});
