import { beforeEach, describe, expect, test } from 'vitest';
import type { Decision } from '#features/base/access/access.ts';
import { changeAccess } from '#features/base/access/access.server.ts';
import { removePerson } from '#features/clients/directory/management.server.ts';
import { decideAccess } from '#features/base/people/people.server.ts';
import { verifyRights } from '#features/base/people/rights-macs.server.ts';
import { findSession, startSession } from '#features/identity/sessions/sessions.server.ts';
import { db } from '#platform/database/database.server.ts';
import { accessMacs } from '../../../src/migrations/0102-access-macs.server.ts';
import { BROWSER, makeCast, person } from '../../support/cast.ts';

/* Somebody who can write to the database but does not have the key file cannot grant rights unnoticed. */

const { ada, ben, sam, zoe, firmOne, firmTwo, clientA, clientB } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });

test('the contacts and links that the portal wrote itself are valid', async () => {
  const { rows, faults } = await verifyRights();
  expect(faults).toEqual([]);
  expect(rows).toBeGreaterThanOrEqual(10);
});

test('a contact turned into staff in the database is detected', async () => {
  await db().updateTable('contacts').set({ staff: 1 }).where('contact_id', '=', ada.contactId).execute();
  expect((await verifyRights()).faults).toEqual([{ companyId: firmOne, contactId: ada.contactId }]);
  await db().updateTable('contacts').set({ staff: 0 }).where('contact_id', '=', ada.contactId).execute();
  expect((await verifyRights()).faults).toEqual([]);
});

test('a contact moved to another firm in the database is detected', async () => {
  await db()
    .updateTable('contacts')
    .set({ company_id: firmOne })
    .where('contact_id', '=', zoe.contactId)
    .execute();
  expect((await verifyRights()).faults).toEqual([{ companyId: firmOne, contactId: zoe.contactId }]);
  await db()
    .updateTable('contacts')
    .set({ company_id: firmTwo })
    .where('contact_id', '=', zoe.contactId)
    .execute();
});

test('a link inserted into the database is detected, even with the MAC of another link', async () => {
  const { mac } = await db()
    .selectFrom('client_contacts')
    .select('mac')
    .where('client_id', '=', clientB)
    .where('contact_id', '=', ben.contactId)
    .executeTakeFirstOrThrow();
  await db()
    .insertInto('client_contacts')
    .values({ client_id: clientA, contact_id: ben.contactId, mac })
    .execute();
  expect((await verifyRights()).faults).toEqual([
    { companyId: firmOne, contactId: ben.contactId, clientId: clientA },
  ]);
});

describe('access settings', () => {
  const faults = async () => (await verifyRights()).faults.filter(({ setting }) => setting !== undefined);
  beforeEach(async () => {
    await db().deleteFrom('access_settings').execute();
    await decideAccess(firmOne, sam.contactId, { kind: 'permission', name: 'ViewAs' }, false);
    await decideAccess(firmOne, undefined, { kind: 'control', name: 'HideTasks' }, true);
    expect(await faults()).toEqual([]);
  });

  test('a permission given in the database is detected, even with the MAC of another one', async () => {
    const { mac } = await db()
      .selectFrom('access_settings')
      .select('mac')
      .where('name', '=', 'ViewAs')
      .executeTakeFirstOrThrow();
    const grant = { company_id: firmOne, kind: 'permission', name: 'ManageFirm', granted: 1, mac } as const;
    await db()
      .insertInto('access_settings')
      .values([ada.contactId, ''].map((contactId) => ({ ...grant, contact_id: contactId })))
      .execute();
    expect(await faults()).toEqual([
      { companyId: firmOne, contactId: '', setting: 'permission ManageFirm' },
      { companyId: firmOne, contactId: ada.contactId, setting: 'permission ManageFirm' },
    ]);
  });

  test('a setting changed in the database, or moved to somebody else, is detected', async () => {
    const change = (set: { granted?: 0 | 1; contact_id?: string }) =>
      db().updateTable('access_settings').set(set).where('name', '=', 'ViewAs').execute();
    await change({ granted: 1 });
    expect(await faults()).toEqual([
      { companyId: firmOne, contactId: sam.contactId, setting: 'permission ViewAs' },
    ]);
    await change({ granted: 0, contact_id: ben.contactId });
    expect(await faults()).toEqual([
      { companyId: firmOne, contactId: ben.contactId, setting: 'permission ViewAs' },
    ]);
    await change({ contact_id: sam.contactId });
    expect(await faults()).toEqual([]);
    await decideAccess(firmOne, sam.contactId, { kind: 'permission', name: 'ViewAs' }, true);
    expect(await faults(), 'the portal itself may change it').toEqual([]);
  });

  test('a refusal that was deleted in the database is detected, and a setting of before that was put back', async () => {
    const name = 'ManageContacts';
    const decide = (to: Decision['to']) =>
      changeAccess(olga, { contact: sam.contactId, kind: 'permission', name, to });
    const detected = [{ companyId: firmOne, contactId: sam.contactId, setting: `permission ${name}` }];
    const stored = () => db().selectFrom('access_settings').selectAll().where('name', '=', name).execute();
    const remove = () => db().deleteFrom('access_settings').where('name', '=', name).execute();
    await decide('granted');
    const granted = await stored();
    await decide('refused');
    expect(await faults()).toEqual([]);
    await remove();
    expect(await faults()).toEqual(detected);
    await db().insertInto('access_settings').values(granted).execute();
    expect(await faults()).toEqual(detected);
    await decide('usual');
    expect(await faults()).toEqual([]);
    await db().insertInto('access_settings').values(granted).execute();
    expect(await faults()).toEqual(detected);
    await remove();
  });

  test('the settings of everybody are detected, too, and those of a removed person are not missed', async () => {
    const tess = await person(firmOne, 'Tess Gone', 'tess@one.example', { role: 'member' });
    await changeAccess(olga, { contact: '', kind: 'control', name: 'AddFolder', to: 'granted' });
    await changeAccess(olga, { contact: tess.contactId, kind: 'control', name: 'AddFolder', to: 'refused' });
    const session = await findSession(await startSession(olga, BROWSER));
    if (!session) throw new Error('no session');
    await removePerson(session, tess.contactId, sam.contactId);
    expect(await faults()).toEqual([]);
    await db().deleteFrom('access_settings').where('name', '=', 'AddFolder').execute();
    expect(await faults()).toEqual([{ companyId: firmOne, contactId: '', setting: 'control AddFolder' }]);
    await changeAccess(olga, { contact: '', kind: 'control', name: 'AddFolder', to: 'usual' });
  });

  test('settings from before there were MACs get theirs in the migration', async () => {
    await db().updateTable('access_settings').set({ mac: '' }).execute();
    expect(await faults()).toHaveLength(2);
    await accessMacs.convert?.(db() as never);
    expect(await faults()).toEqual([]);
  });
});
