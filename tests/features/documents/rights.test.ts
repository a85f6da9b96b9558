import { describe, expect, test } from 'vitest';
import { createFolder } from '#features/documents/folders/folders.server.ts';
import { documentsByIds } from '#features/documents/documents/documents.server.ts';
import { rightsOf, setLocked } from '#features/documents/documents/rights.server.ts';
import type { Rights } from '#features/documents/documents/rights.ts';
import type { Actor } from '#features/base/people/people.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, seen } from '../../support/api.ts';
import { uploadAs, makeCast, unlink } from '../../support/cast.ts';

const { ada, ben, cleo, sam, tom, zoe, clientA, projectA } = await makeCast();
const folder = await createFolder(sam, {
  name: 'Bank statements',
  parentId: projectA.id,
  parentType: 'Project',
});
const letter = await uploadAs(sam, folder, 'letter.pdf', 'a letter');

const base = '/api/storage/v1';
const call = async (actor: Actor, method: string, path: string, json?: unknown): Promise<Rights> => {
  const answer = await apiAs(actor)(method, `${base}${path}`, json === undefined ? {} : { json });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { data: Rights }).data;
};
const whoIs = ({ people }: Rights, { contactId }: Actor) => people.find((one) => one.contactId === contactId);
const deletes = async (actor: Actor): Promise<boolean> =>
  (await documentsByIds(actor, [letter.id]))[0]?.permissions.delete ?? false;
const auditLogOf = async (target: string) =>
  (
    await db()
      .selectFrom('audit')
      .select(['action', 'actor'])
      .where('target', '=', target)
      .where('action', 'in', ['container.role', 'item.lock', 'item.unlock'])
      .orderBy('seq')
      .execute()
  ).map(({ action, actor }) => `${action} ${actor}`);

describe('roles', () => {
  test('a role assigned by staff applies to descendants and can be removed, and the audit log records both', async () => {
    expect((await call(sam, 'GET', `/projects/${projectA.id}/roles`)).people).toEqual(
      [ada, cleo].map(({ contactId, fullName }) => ({
        contactId,
        fullName,
        role: 'Contributor',
        given: 'usual',
        givenIn: null,
      })),
    );
    expect(await deletes(ada)).toBe(false);
    const given = await call(sam, 'PUT', `/projects/${projectA.id}/roles/${ada.contactId}`, {
      role: 'Owner',
    });
    expect(whoIs(given, ada)).toMatchObject({ role: 'Owner', given: 'here' });
    await call(sam, 'PUT', `/projects/${projectA.id}/roles/${cleo.contactId}`, { role: 'Owner' });
    expect(
      [
        whoIs(await call(sam, 'DELETE', `/projects/${projectA.id}/roles/${cleo.contactId}`), ada)?.given,
        await deletes(cleo),
      ],
      'what one person loses no other does',
    ).toEqual(['here', false]);
    expect([await deletes(ada), await deletes(cleo)]).toEqual([true, false]);
    expect(whoIs(await call(sam, 'GET', `/folders/${folder.id}/roles`), ada)).toMatchObject({
      role: 'Owner',
      given: 'above',
      givenIn: 'Tax return 2025',
    });
    const nearer = await call(sam, 'PUT', `/folders/${folder.id}/roles/${ada.contactId}`, {
      role: 'Contributor',
    });
    expect([whoIs(nearer, ada)?.given, await deletes(ada)]).toEqual(['here', false]);
    await call(sam, 'DELETE', `/folders/${folder.id}/roles/${ada.contactId}`);
    expect(await deletes(ada)).toBe(true);
    const back = await call(sam, 'DELETE', `/projects/${projectA.id}/roles/${ada.contactId}`);
    expect([whoIs(back, ada), await deletes(ada)]).toMatchObject([
      { role: 'Contributor', given: 'usual' },
      false,
    ]);
    expect(await auditLogOf(projectA.id)).toEqual(
      Array.from({ length: 4 }, () => `container.role ${sam.contactId}`),
    );
  });

  test('staff who also act for a client themselves get no role', async () => {
    await db()
      .insertInto('client_contacts')
      .values({ client_id: clientA, contact_id: sam.contactId })
      .execute();
    expect((await rightsOf(sam, projectA.id)).people.map(({ fullName }) => fullName)).toEqual([
      'Ada Amber',
      'Cleo Cedar',
    ]);
    await unlink(clientA, sam);
  });

  test('roles are shown to staff only', async () => {
    for (const actor of [ada, cleo])
      await expect(rightsOf(actor, projectA.id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await rightsOf(sam, projectA.id)).people).toHaveLength(2);
  });

  test('a role can be assigned on a client as well as on one of its folders', async () => {
    await uploadAs(ada, { id: clientA, containerType: 'Client' }, 'note.pdf', 'x');
    await call(sam, 'PUT', `/clients/${clientA}/roles/${cleo.contactId}`, { role: 'Owner' });
    expect(await deletes(cleo)).toBe(true);
    await call(sam, 'DELETE', `/clients/${clientA}/roles/${cleo.contactId}`);
  });
});

describe('locks', () => {
  test('a lock makes a folder and its contents read-only, shows who locked it first and when, and can be released', async () => {
    const frozen = await call(sam, 'PUT', `/folders/${folder.id}/lock`, { locked: true });
    expect(frozen.lock).toMatchObject({
      itemId: folder.id,
      name: 'Bank statements',
      by: 'Sam Staff',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
    });
    expect((await call(sam, 'PUT', `/folders/${folder.id}/lock`, { locked: true })).lock).toEqual(
      frozen.lock,
    );
    const [document] = await documentsByIds(ada, [letter.id]);
    expect([document?.isLocked, document?.permissions.delete, await deletes(sam)]).toEqual([
      true,
      false,
      false,
    ]);
    const released = await call(sam, 'PUT', `/folders/${folder.id}/lock`, { locked: false });
    expect([released.lock, await deletes(sam)]).toEqual([null, true]);
    expect(await auditLogOf(folder.id)).toEqual([
      `container.role ${sam.contactId}`,
      `container.role ${sam.contactId}`,
      `item.lock ${sam.contactId}`,
      `item.unlock ${sam.contactId}`,
    ]);
  });

  test('a lock on a document locks only it, and shows the lock of its parent folder too', async () => {
    await setLocked(sam, projectA.id, true);
    const both = await call(sam, 'PUT', `/documents/${letter.id}/lock`, { locked: true });
    expect(both).toMatchObject({
      type: 'Document',
      parentId: folder.id,
      lock: { itemId: letter.id, name: 'letter.pdf' },
      lockAbove: { itemId: projectA.id, name: 'Tax return 2025' },
    });
    expect(await call(sam, 'PUT', `/documents/${letter.id}/lock`, { locked: false })).toMatchObject({
      lock: null,
      lockAbove: { itemId: projectA.id },
    });
    await setLocked(sam, projectA.id, false);
  });
});

describe('who may change roles and locks', () => {
  const calls = (id: string): [method: string, path: string, json?: unknown][] => [
    ['GET', `/folders/${id}/roles`],
    ['PUT', `/folders/${id}/roles/${ada.contactId}`, { role: 'Owner' }],
    ['DELETE', `/folders/${id}/roles/${ada.contactId}`],
    ['PUT', `/folders/${id}/lock`, { locked: true }],
  ];

  test('contacts and other firms cannot change roles or locks, and nothing changes', async () => {
    for (const [method, path, json] of calls(folder.id)) {
      for (const actor of [ada, ben, zoe])
        expect((await apiAs(actor)(method, `${base}${path}`, { json })).status).toBe(403);
      const unknown = calls(newId('folder')).find(
        ([one, address]) => one === method && address.split('/')[3] === path.split('/')[3],
      );
      expect(await seen(await apiAs(tom)(method, `${base}${path}`, { json }))).toEqual(
        await seen(await apiAs(tom)(method, `${base}${unknown?.[1]}`, { json })),
      );
    }
    expect([
      await db().selectFrom('container_roles').selectAll().execute(),
      await db().selectFrom('item_locks').selectAll().execute(),
    ]).toEqual([[], []]);
  });

  test('roles on a folder are not found by the address of a project, and contacts of another firm get none', async () => {
    expect(
      (await apiAs(sam)('PUT', `${base}/projects/${folder.id}/lock`, { json: { locked: true } })).status,
    ).toBe(404);
    expect(
      (await apiAs(sam)('PUT', `${base}/documents/${folder.id}/lock`, { json: { locked: true } })).status,
    ).toBe(404);
    expect(
      (
        await apiAs(sam)('PUT', `${base}/folders/${folder.id}/roles/${zoe.contactId}`, {
          json: { role: 'Owner' },
        })
      ).status,
    ).toBe(404);
    expect(
      (
        await apiAs(sam)('PUT', `${base}/folders/${folder.id}/roles/${ada.contactId}`, {
          json: { role: 'King' },
        })
      ).status,
    ).toBe(422);
  });
});
