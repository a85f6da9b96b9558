import { afterAll, beforeEach, expect, test } from 'vitest';
import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import { clientRecordsOf } from '#features/clients/clients/bulk.server.ts';
import { namesOfResponsible } from '#features/clients/clients/client-overview.server.ts';
import { createClient, updateClient } from '#features/clients/clients/editing.server.ts';
import { responsibleChoices } from '#features/clients/clients/list-choices.server.ts';
import { withClients } from '#features/clients/directory/person.server.ts';
import { announceExpired } from '#features/identity/invitations/expired.server.ts';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { itemText } from '#features/office/inbox/texts.server.ts';
import {
  acceptInvitation,
  invite,
  revokeInvitation,
  setInvitationClients,
} from '#features/identity/invitations/invitations.server.ts';
import { contactsOf } from '#features/base/people/people.server.ts';
import { responsibleFor } from '#features/base/people/responsible.server.ts';
import { verifyRights } from '#features/base/people/rights-macs.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs } from '../../support/api.ts';
import { makeCast, person, standAt, startMailServer } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/* Who is invited to the team can be responsible for clients from that day on. */

const { firmOne, firmTwo, clientA, clientB, clientTwo } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const mark = await person(firmOne, 'Mark Manager', 'mark@one.example', { role: 'manager' });
const other = await person(firmTwo, 'Otto Owner', 'otto@two.example', { role: 'owner' });
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
beforeEach(() => standAt(now() + 25 * HOUR));

const PHRASE = 'nine green kettles sing';
let count = 0;
async function invited(more: object = {}): Promise<{ id: string; name: string; email: string }> {
  const name = `Bea${(count += 1)}`;
  const email = `${name.toLowerCase()}@new.example`;
  const { invitationId: id } = await invite(olga, {
    emailAddress: email,
    firstName: name,
    lastName: 'Newcomer',
    language: 'en-us',
    clientIds: [],
    role: 'member',
    ...more,
  });
  return { id, name, email };
}
const tokenSent = async (): Promise<string> =>
  /\/auth\/invitation\/([\w-]{43})\b/.exec((await mailServer.deliver()).at(-1)?.mail.text ?? '')?.[1] ?? '';
const responsibleIn = async (clientId: string) => (await clientRecord(mark, clientId)).responsible;
const contactId = async (name: string) => (await contactsOf(firmOne, name))[0]?.contactId ?? '';

test('an invited person is chosen by call, named as invited, and responsible once they accept', async () => {
  const bea = await invited();
  const token = await tokenSent();
  const answer = await apiAs(mark)('PATCH', `/api/staff/v1/clients/${clientA}`, {
    json: {
      responsible: [mark.contactId, bea.id],
      version: (await clientRecord(mark, clientA)).version,
    },
  });
  expect([answer.status, await responsibleIn(clientA)]).toEqual([200, [mark.contactId, bea.id]]);
  const fresh = await createClient(mark, { name: 'Fresh Ltd', responsible: [bea.id] });
  expect((await clientRecordsOf(mark, [fresh])).map(({ responsible }) => responsible)).toEqual([[bea.id]]);
  expect(await namesOfResponsible(mark, clientA, 'en-us')).toEqual([
    'Mark Manager',
    `${bea.name} Newcomer (invited)`,
  ]);
  expect((await responsibleChoices(mark, 'en-us')).all).toContainEqual({
    value: bea.id,
    text: `${bea.name} Newcomer (invited)`,
  });
  expect(
    (await withClients(olga, bea.id)).clients.map((each) => [each.clientId, each.isResponsible]),
  ).toEqual(
    expect.arrayContaining([
      [clientA, true],
      [fresh, true],
    ]) as unknown,
  );
  expect(await responsibleFor(fresh), 'nobody yet').toBeUndefined();

  await acceptInvitation(token, { password: PHRASE });
  const id = await contactId(bea.name);
  expect([await responsibleIn(clientA), await responsibleIn(fresh)]).toEqual([
    expect.arrayContaining([mark.contactId, id]),
    [id],
  ]);
  expect((await responsibleFor(fresh))?.contactId).toBe(id);
  expect((await verifyRights()).faults).toEqual([]);
});

test('a person who is invited for assigned clients sees those that they are responsible for', async () => {
  const bea = await invited({ hasAllClients: false, clientIds: [clientB] });
  const token = await tokenSent();
  await updateClient(mark, clientA, { responsible: [bea.id] });
  await acceptInvitation(token, { password: PHRASE });
  const rows = await db()
    .selectFrom('staff_clients')
    .select(['client_id', 'is_responsible'])
    .where('contact_id', '=', await contactId(bea.name))
    .execute();
  expect(new Map(rows.map((row) => [row.client_id, row.is_responsible]))).toEqual(
    new Map([
      [clientA, 1],
      [clientB, 0],
    ]),
  );
});

test('after another invitation to the same person they stay responsible, after its end nobody is', async () => {
  const bea = await invited();
  await updateClient(mark, clientA, { responsible: [bea.id] });
  const again = await invite(olga, {
    emailAddress: bea.email,
    firstName: bea.name,
    lastName: 'Newcomer',
    language: 'en-us',
    clientIds: [],
    role: 'manager',
  });
  expect(await responsibleIn(clientA)).toEqual([again.invitationId]);
  await setInvitationClients(olga, again.invitationId, (ids) => [...ids, clientB]);
  expect(await responsibleIn(clientA)).toEqual([again.invitationId]);
  const revoked = await revokeInvitation(olga, again.invitationId);
  expect([revoked.responsibleIds, await responsibleIn(clientA)]).toEqual([[clientA], []]);
});

test('the firm can end the responsibility of an invited person, on either page', async () => {
  const bea = await invited();
  await updateClient(mark, clientA, { responsible: [bea.id] });
  await updateClient(mark, clientA, { responsible: [] });
  expect(await responsibleIn(clientA)).toEqual([]);
  await updateClient(mark, clientA, { responsible: [bea.id] });
  await setInvitationClients(olga, bea.id, (ids) => ids.filter((id) => id !== clientA));
  expect(await responsibleIn(clientA)).toEqual([]);
});

test('the inbox says for how many clients somebody will be responsible whose invitation expired', async () => {
  const bea = await invited();
  await updateClient(mark, clientA, { responsible: [bea.id] });
  standAt(now() + 73 * HOUR);
  await announceExpired();
  const { items } = await listInbox(olga, inboxQuery.parse({ kind: 'invitation' }));
  expect(items.map((item) => itemText('en-us', item))).toContain(
    `The invitation to ${bea.email}, who will be responsible for 1 client, expired`,
  );
  expect(await namesOfResponsible(mark, clientA, 'en-us')).toEqual([
    `${bea.name} Newcomer (invitation expired)`,
  ]);
});

test('nobody is made responsible by an invitation of a contact, of another firm, or one that ended', async () => {
  const contact = await invite(olga, {
    emailAddress: 'carl@new.example',
    firstName: 'Carl',
    lastName: 'Contact',
    language: 'en-us',
    clientIds: [clientA],
  });
  const foreign = await invite(other, {
    emailAddress: 'fay@new.example',
    firstName: 'Fay',
    lastName: 'Foreign',
    language: 'en-us',
    clientIds: [],
    role: 'member',
  });
  const ended = await invited();
  await revokeInvitation(olga, ended.id);
  for (const id of [contact.invitationId, foreign.invitationId, ended.id, 'invitation_none'])
    await expect(updateClient(mark, clientA, { responsible: [id] })).rejects.toMatchObject({
      code: 'INVALID',
      details: { problems: [{ field: 'responsible', problem: 'wrong' }] },
    });
  await expect(
    updateClient(other, clientTwo, { responsible: [foreign.invitationId] }),
  ).resolves.toBeDefined();
});

test('clients that somebody added to an invitation in the database alone are nobody’s', async () => {
  const bea = await invited({ hasAllClients: false, clientIds: [clientB] });
  const token = await tokenSent();
  await db()
    .updateTable('invitations')
    .set({ responsible_ids: JSON.stringify([clientA]) })
    .where('invitation_id', '=', bea.id)
    .execute();
  await updateClient(mark, clientB, { responsible: [bea.id] });
  await expect(acceptInvitation(token, { password: PHRASE })).rejects.toMatchObject({ code: 'GONE' });
});
