import { expect, test } from 'vitest';
import { documentsOf } from '#features/documents/documents/scope.server.ts';
import { clientIdsOf, readersOf, seesContact } from '#features/base/people/people.server.ts';
import { assignmentMac, verifyRights } from '#features/base/people/rights-macs.server.ts';
import { isReadOnly, type Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { makeCast, person, uploadAs } from '../../support/cast.ts';

const { firmOne, clientA, clientB, clientTwo, ada, ben, sam, projectA } = await makeCast();
const mia = await person(firmOne, 'Mia Member', 'mia@one.example', { role: 'member', hasAllClients: false });
const rita = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });

const assign = async (contactId: string, clientId: string) =>
  db()
    .insertInto('staff_clients')
    .values({ contact_id: contactId, client_id: clientId, mac: await assignmentMac(clientId, contactId) })
    .execute();
const clientsOf = async (actor: Actor) =>
  (await clientIdsOf(actor).execute()).map(({ client_id: id }) => id).sort();

await uploadAs(ada, projectA, 'Statement.pdf', 'numbers');

test('staff with assigned clients see nothing before a client is assigned, then that client only', async () => {
  expect(await clientsOf(mia)).toEqual([]);
  expect(await documentsOf(mia).execute()).toEqual([]);
  await assign(mia.contactId, clientA);
  expect(await clientsOf(mia)).toEqual([clientA]);
  expect(await documentsOf(mia).execute()).toHaveLength(1);
  expect(await clientsOf(sam)).toEqual([clientA, clientB].sort());
});

test('an assignment to a client of another firm gives no access to it', async () => {
  await assign(mia.contactId, clientTwo);
  expect(await clientsOf(mia)).toEqual([clientA]);
  await db().deleteFrom('staff_clients').where('client_id', '=', clientTwo).execute();
});

test('staff with assigned clients see the contacts of these clients, and other staff', async () => {
  expect(await seesContact(mia, ada.contactId)).toBe(true);
  expect(await seesContact(mia, sam.contactId)).toBe(true);
  const linkedToA = await db()
    .selectFrom('client_contacts')
    .select('contact_id')
    .where('client_id', '=', clientA)
    .execute();
  const isLinked = linkedToA.some(({ contact_id: id }) => id === ben.contactId);
  expect(await seesContact(mia, ben.contactId)).toBe(isLinked);
});

test('notifications about a client go to the staff who see it', async () => {
  const ids = async (clientId: string) =>
    (await readersOf(firmOne, clientId, 'staff')).map(({ contactId }) => contactId);
  expect(await ids(clientA)).toContain(mia.contactId);
  expect(await ids(clientB)).not.toContain(mia.contactId);
});

test('an assignment or role that the portal did not write is found', async () => {
  expect((await verifyRights()).faults).toEqual([]);
  await db()
    .insertInto('staff_clients')
    .values({ contact_id: mia.contactId, client_id: clientB, mac: '' })
    .execute();
  await db()
    .updateTable('contacts')
    .set({ role: 'owner' })
    .where('contact_id', '=', rita.contactId)
    .execute();
  expect((await verifyRights()).faults.map(({ contactId }) => contactId).sort()).toEqual(
    [mia.contactId, rita.contactId].sort(),
  );
});

test('staff with the role of a reader may only read', () => {
  expect(isReadOnly(rita)).toBe(true);
  expect(isReadOnly(mia)).toBe(false);
  expect(isReadOnly(ada)).toBe(false);
});
