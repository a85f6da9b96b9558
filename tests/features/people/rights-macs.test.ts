import { expect, test } from 'vitest';
import { verifyRights } from '#features/people/rights-macs.server.ts';
import { db } from '#platform/database.server.ts';
import { makeCast } from '../../support/cast.ts';

/* Somebody who can write to the database but does not have the key file cannot grant rights unnoticed. */

const { ada, ben, zoe, firmOne, firmTwo, clientA, clientB } = await makeCast();

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
