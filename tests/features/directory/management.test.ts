import { afterAll, beforeEach, expect, test } from 'vitest';
import { confirmEmailChange, viewEmailChange } from '#features/identity/credentials/email-change.server.ts';
import { userByEmail } from '#features/identity/credentials/users.server.ts';
import { addPerson } from '#features/clients/directory/adding.server.ts';
import { requestEmailChange } from '#features/clients/directory/email-change.server.ts';
import {
  assignClientTo,
  endSessions,
  linkContact,
  removePerson,
  rename,
  resume,
  setRole,
  suspend,
  unlinkContact,
} from '#features/clients/directory/management.server.ts';
import { peopleGrid } from '#features/clients/directory/people-grid.server.ts';
import { peoplePage } from '#features/clients/directory/people-page.server.ts';
import { gridQueryOf } from '#features/base/grids/define.server.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import { acceptInvitation, invite } from '#features/identity/invitations/invitations.server.ts';
import {
  accountsOf,
  actorOf,
  clientIdsOf,
  contactsOf,
  createContact,
  decideAccess,
  staffWith,
} from '#features/base/people/people.server.ts';
import { canAccessPortal, type Actor, type Session } from '#features/base/people/people.ts';
import { verifyRights } from '#features/base/people/rights-macs.server.ts';
import { createFirmFor } from '#features/identity/recovery/new-firm.server.ts';
import { issueRescueCode } from '#features/identity/recovery/rescue.server.ts';
import { personToViewAs } from '#features/office/staff/view-as.server.ts';
import { findSession, startSession } from '#features/identity/sessions/sessions.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { BROWSER, makeCast, person, standAt, startMailServer, uploadAs } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { firmOne, firmTwo, clientA, clientB, clientTwo, ada, ben, cleo, sam, zoe, projectA } =
  await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const mark = await person(firmOne, 'Mark Manager', 'mark@one.example', { role: 'manager' });
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
beforeEach(() => standAt(now() + 25 * HOUR));

const clientsOf = async ({ contactId }: Actor) =>
  (await clientIdsOf(await actorOf(contactId)).execute()).map(({ client_id: id }) => id).sort();
const tokenOf = (actor: Actor) => startSession(actor, BROWSER);
async function sessionOf(actor: Actor): Promise<Session> {
  const session = await findSession(await tokenOf(actor));
  if (!session) throw new Error('no session');
  return session;
}
const actionsOn = async (target: string) =>
  (await db().selectFrom('audit').select('action').where('target', '=', target).execute()).map(
    ({ action }) => action,
  );
const listed = async (actor: Actor, parameters: Record<string, string> = {}) =>
  (await readGrid(peopleGrid, actor, gridQueryOf(peopleGrid, peopleGrid.parameters.parse(parameters)))).rows;

test('a person added on the page of a client gets access to it, without its number', async () => {
  const paula = (clientIds: string[], codes = '') =>
    addPerson(mark, {
      firstName: 'Paula',
      lastName: 'Poplar',
      emailAddress: 'paula@poplar.example',
      language: 'en-us',
      role: 'contact',
      scope: 'assigned',
      codes,
      clientIds,
      send: false,
    });
  expect((await paula([clientA])).clientIds).toEqual([clientA]);
  await expect(paula([clientTwo])).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a manager links contacts to clients and unlinks them, and both are in the audit log', async () => {
  await linkContact(mark, ada.contactId, clientB);
  expect(await clientsOf(ada)).toEqual([clientA, clientB].sort());
  await unlinkContact(mark, ada.contactId, clientB);
  expect(await clientsOf(ada)).toEqual([clientA]);
  expect(await actionsOn(ada.contactId)).toEqual(expect.arrayContaining(['person.link', 'person.unlink']));
  expect((await verifyRights()).faults).toEqual([]);
});

test('people and clients of another firm are not found', async () => {
  for (const act of [
    async () => linkContact(mark, zoe.contactId, clientA),
    async () => linkContact(mark, ada.contactId, clientTwo),
    async () => unlinkContact(mark, zoe.contactId, clientTwo),
    async () => rename(mark, zoe.contactId, { firstName: 'Z', lastName: 'Z' }),
    async () => resume(mark, zoe.contactId),
    async () => endSessions(mark, zoe.contactId),
    async () => suspend(await sessionOf(olga), zoe.contactId),
    async () => removePerson(await sessionOf(olga), zoe.contactId),
    async () => setRole(await sessionOf(olga), zoe.contactId, { role: 'owner', hasAllClients: true }),
    async () => requestEmailChange(await sessionOf(olga), zoe.contactId, 'new@two.example'),
  ])
    await expect(act()).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('members, readers and contacts manage nobody, and managers no staff', async () => {
  const rita = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });
  for (const who of [sam, rita, ben])
    await expect(linkContact(who, ada.contactId, clientB)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  for (const act of [
    async () => rename(mark, sam.contactId, { firstName: 'S', lastName: 'S' }),
    async () => suspend(await sessionOf(mark), sam.contactId),
    async () => removePerson(await sessionOf(mark), sam.contactId),
    async () => setRole(await sessionOf(mark), sam.contactId, { role: 'reader', hasAllClients: true }),
    async () => setRole(await sessionOf(mark), mark.contactId, { role: 'owner', hasAllClients: true }),
    async () => assignClientTo(mark, sam.contactId, { clientId: clientA, isResponsible: true }),
  ])
    await expect(act()).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

test('staff who manage the firm without being owners neither make nor change owners', async () => {
  await decideAccess(firmOne, mark.contactId, { kind: 'permission', name: 'ManageFirm' }, true);
  const session = await sessionOf(await actorOf(mark.contactId));
  for (const act of [
    async () => setRole(session, mark.contactId, { role: 'owner', hasAllClients: true }),
    async () => suspend(session, olga.contactId),
    async () => removePerson(session, olga.contactId),
  ])
    await expect(act()).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await decideAccess(firmOne, mark.contactId, { kind: 'permission', name: 'ManageFirm' }, undefined);
});

test('managers with assigned clients manage the contacts of these only', async () => {
  const anna = await person(firmOne, 'Anna Assigned', 'anna@one.example', {
    role: 'manager',
    hasAllClients: false,
  });
  await assignClientTo(olga, anna.contactId, { clientId: clientA, isResponsible: false });
  await expect(rename(anna, ben.contactId, { firstName: 'B', lastName: 'B' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await expect(linkContact(anna, ada.contactId, clientB)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  // Cleo acts for client B, too: suspending her would concern a client that Anna does not see.
  await expect(suspend(await sessionOf(anna), cleo.contactId)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await suspend(await sessionOf(anna), ada.contactId);
  await resume(anna, ada.contactId);
});

test('managers with assigned clients get no access to the other clients of a contact', async () => {
  const nora = await person(firmOne, 'Nora Assigned', 'nora@one.example', {
    role: 'manager',
    hasAllClients: false,
  });
  await assignClientTo(olga, nora.contactId, { clientId: clientA, isResponsible: false });
  const session = await sessionOf(nora);
  const forbidden = { code: 'FORBIDDEN' };
  // Cleo acts for client B, too: her password, her address or her view of the portal would open it.
  await expect(issueRescueCode(session, cleo.contactId)).rejects.toMatchObject(forbidden);
  await expect(requestEmailChange(session, cleo.contactId, 'cleo2@one.example')).rejects.toMatchObject(
    forbidden,
  );
  await expect(personToViewAs(session, cleo.contactId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await personToViewAs(session, ada.contactId)).toMatchObject({ contactId: ada.contactId });
});

test('a suspended person is signed out at once and cannot enter until the suspension ends', async () => {
  const token = await tokenOf(ada);
  await suspend(await sessionOf(olga), ada.contactId);
  expect(await findSession(token)).toBeUndefined();
  expect(canAccessPortal(await actorOf(ada.contactId))).toBe(false);
  await resume(olga, ada.contactId);
  expect(canAccessPortal(await actorOf(ada.contactId))).toBe(true);
  expect((await verifyRights()).faults).toEqual([]);
});

test('ending the sessions of a person leaves those at another firm', async () => {
  const second = await actorOf(
    await createContact({ companyId: firmTwo, prismGuid: ben.prismGuid, fullName: 'Ben Elsewhere' }),
  );
  const [here, there] = [await tokenOf(ben), await tokenOf(second)];
  expect(await endSessions(mark, ben.contactId)).toBe(1);
  expect([await findSession(here), (await findSession(there))?.actor.companyId]).toEqual([
    undefined,
    firmTwo,
  ]);
});

test('a role decides the permissions at once, and an owner acts for all clients', async () => {
  const mia = await person(firmOne, 'Mia Member', 'mia@one.example', { role: 'member' });
  const session = await sessionOf(olga);
  await setRole(session, mia.contactId, { role: 'reader', hasAllClients: false });
  expect(await actorOf(mia.contactId)).toMatchObject({ role: 'reader', hasAllClients: false });
  await setRole(session, mia.contactId, { role: 'owner', hasAllClients: false });
  expect(await actorOf(mia.contactId)).toMatchObject({ role: 'owner', hasAllClients: true });
  await removePerson(session, mia.contactId);
});

test('dangerous changes require recent authentication', async () => {
  const session = { ...(await sessionOf(olga)), authenticatedAt: now() - HOUR };
  const calls = [
    () => suspend(session, ada.contactId),
    () => removePerson(session, ada.contactId),
    () => setRole(session, sam.contactId, { role: 'reader', hasAllClients: true }),
    () => requestEmailChange(session, ada.contactId, 'ada@new.example'),
  ];
  for (const call of calls) await expect((async () => call())()).rejects.toMatchObject({ code: 'STEP_UP' });
});

test('the last owner is neither demoted, suspended nor removed, not even by themselves', async () => {
  const session = await sessionOf(olga);
  const suspended = await person(firmOne, 'Otto Owner', 'otto@one.example', { role: 'owner' });
  await suspend(session, suspended.contactId);
  for (const act of [
    async () => setRole(session, olga.contactId, { role: 'manager', hasAllClients: true }),
    async () => suspend(session, olga.contactId),
    async () => removePerson(session, olga.contactId),
  ])
    await expect(act()).rejects.toMatchObject({ code: 'LAST_OWNER' });
  await removePerson(session, suspended.contactId);
});

test('of two owners who remove, suspend or demote each other at once, exactly one succeeds', async () => {
  const acts = [
    (session: Session, id: string) => removePerson(session, id),
    (session: Session, id: string) => suspend(session, id),
    (session: Session, id: string) => setRole(session, id, { role: 'member', hasAllClients: true }),
  ];
  for (const act of acts) {
    const [one, other] = [
      await person(firmTwo, 'Una CANARY-F2', `una-${now()}-${acts.indexOf(act)}@two.example`, {
        role: 'owner',
      }),
      await person(firmTwo, 'Duo CANARY-F2', `duo-${now()}-${acts.indexOf(act)}@two.example`, {
        role: 'owner',
      }),
    ];
    const [first, second] = [await sessionOf(one), await sessionOf(other)];
    const outcomes = await Promise.allSettled([act(first, other.contactId), act(second, one.contactId)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const owners = (await staffWith(firmTwo, 'ManageFirm')).filter(canAccessPortal);
    expect(owners).toHaveLength(1);
    const [left] = owners;
    await db()
      .updateTable('contacts')
      .set({ removed_at: now() })
      .where('contact_id', '=', left?.contactId ?? '')
      .execute();
  }
});

test('staff who lose the right in the middle change nothing', async () => {
  const lena = await person(firmOne, 'Lena Loses', 'lena@one.example', { role: 'manager' });
  await setRole(await sessionOf(olga), lena.contactId, { role: 'member', hasAllClients: true });
  // `lena` still has the rights with which her request began
  await expect(linkContact(lena, ada.contactId, clientB)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(await clientsOf(ada)).toEqual([clientA]);
});

test('staff who leave hand their clients over', async () => {
  const [leaver, heir] = [
    await person(firmOne, 'Lea Leaver', 'lea@one.example', { role: 'member', hasAllClients: false }),
    await person(firmOne, 'Hal Heir', 'hal@one.example', { role: 'member', hasAllClients: false }),
  ];
  await assignClientTo(olga, leaver.contactId, { clientId: clientA, isResponsible: true });
  const session = await sessionOf(olga);
  for (const successor of ['', leaver.contactId, ada.contactId, zoe.contactId])
    await expect(removePerson(session, leaver.contactId, successor)).rejects.toMatchObject({
      code: 'INVALID',
    });
  await removePerson(session, leaver.contactId, heir.contactId);
  expect([await clientsOf(heir), await clientsOf(leaver)]).toEqual([[clientA], []]);
  expect((await verifyRights()).faults.filter(({ companyId }) => companyId === firmOne)).toEqual([]);
});

test('a removed person has no access and is in no list, while documents and audit log keep the name', async () => {
  const gone = await person(firmOne, 'Gus Gone', 'gus@one.example');
  await linkContact(mark, gone.contactId, clientA);
  const document = await uploadAs(gone, projectA, 'Last words.pdf', 'bye');
  const token = await tokenOf(gone);
  await removePerson(await sessionOf(mark), gone.contactId);
  expect(await findSession(token)).toBeUndefined();
  expect(await accountsOf(gone.prismGuid)).toEqual([]);
  expect(await contactsOf(firmOne, 'Gus')).toEqual([]);
  expect(await listed(olga, { searchTerm: 'Gus' })).toEqual([]);
  const kept = await db()
    .selectFrom('documents')
    .innerJoin('contacts', 'contacts.contact_id', 'documents.created_by')
    .select('contacts.full_name')
    .where('documents.document_id', '=', document.id)
    .executeTakeFirst();
  expect(kept?.full_name).toBe('Gus Gone');
  expect(await actionsOn(gone.contactId)).toContain('person.remove');
  await expect(linkContact(mark, gone.contactId, clientA)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a removed person can be invited again, and has only what the new invitation gives', async () => {
  const back = await person(firmOne, 'Bo Back', 'bo@one.example');
  await linkContact(mark, back.contactId, clientA);
  await removePerson(await sessionOf(mark), back.contactId);
  await invite(mark, {
    emailAddress: 'bo@one.example',
    firstName: 'Bo',
    lastName: 'Back',
    language: 'en-us',
    clientIds: [clientB],
  });
  const mails = await mailServer.deliver();
  const token = /\/auth\/invitation\/([\w-]{43})\b/.exec(mails.at(-1)?.mail.text ?? '')?.[1] ?? '';
  await acceptInvitation(token, { actor: back });
  expect(await clientsOf(back)).toEqual([clientB]);
  expect((await accountsOf(back.prismGuid)).map(({ contactId }) => contactId)).toEqual([back.contactId]);
});

test('a firm changes the name in the profile only of people who are in no other firm', async () => {
  await rename(mark, ada.contactId, { firstName: 'Adele', lastName: 'Amber' });
  await rename(mark, ben.contactId, { firstName: 'Benno', lastName: 'Birch' });
  expect(await actorOf(ada.contactId)).toMatchObject({ fullName: 'Adele Amber', firstName: 'Adele' });
  expect(await actorOf(ben.contactId)).toMatchObject({ fullName: 'Benno Birch', firstName: 'Ben' });
});

const linkIn = (mails: Awaited<ReturnType<typeof mailServer.deliver>>, to: string): string =>
  /\/auth\/email\/([\w-]{43})\b/.exec(
    mails.find(({ recipients }) => recipients.includes(to))?.mail.text ?? '',
  )?.[1] ?? '';

test('a new email address counts when its link is opened, and the old address is told before', async () => {
  await mailServer.discard();
  await requestEmailChange(await sessionOf(mark), ada.contactId, 'ada@new.example');
  const mails = await mailServer.deliver();
  expect(mails.flatMap(({ recipients }) => recipients).sort()).toEqual([
    'ada@new.example',
    'ada@one.example',
  ]);
  const token = linkIn(mails, 'ada@new.example');
  expect((await actorOf(ada.contactId)).emailAddress).toBe('ada@one.example');
  expect(await viewEmailChange(token)).toMatchObject({ email: 'ada@new.example' });
  await confirmEmailChange(token);
  expect((await actorOf(ada.contactId)).emailAddress).toBe('ada@new.example');
  expect((await userByEmail('ada@new.example'))?.prism_guid).toBe(ada.prismGuid);
  await expect(confirmEmailChange(token)).rejects.toMatchObject({ code: 'GONE' });
});

test('people of several firms change their address themselves, and no firm does it for them', async () => {
  await expect(
    requestEmailChange(await sessionOf(mark), ben.contactId, 'ben@new.example'),
  ).rejects.toMatchObject({
    code: 'FORBIDDEN',
  });
  await mailServer.discard();
  await requestEmailChange(await sessionOf(ben), ben.contactId, 'ben@new.example');
  await confirmEmailChange(linkIn(await mailServer.deliver(), 'ben@new.example'));
  expect((await actorOf(ben.contactId)).emailAddress).toBe('ben@new.example');
});

test('an address that somebody has is not taken over, and asking does not reveal it', async () => {
  await mailServer.discard();
  await requestEmailChange(await sessionOf(mark), cleo.contactId, 'sam@one.example');
  const token = linkIn(await mailServer.deliver(), 'sam@one.example');
  expect(await viewEmailChange(token)).toBeUndefined();
  await expect(confirmEmailChange(token)).rejects.toMatchObject({ code: 'GONE' });
});

test('the list of people finds contacts, staff and invitations by name, address, state and client', async () => {
  await invite(mark, {
    emailAddress: 'ivy@new.example',
    firstName: 'Ivy',
    lastName: 'Invited',
    language: 'en-us',
    clientIds: [clientB],
  });
  const names = async (parameters: Record<string, string>, by = olga) =>
    (await listed(by, parameters)).map(({ fullName }) => fullName);
  expect(await names({ who: 'staff' })).toEqual(expect.arrayContaining(['Mark Manager', 'Olga Owner']));
  expect(await names({ who: 'contacts' })).not.toContain('Olga Owner');
  expect(await names({ searchTerm: 'ivy@new.example' })).toEqual(['Ivy Invited']);
  expect(await names({ state: 'invited' })).toEqual(['Ivy Invited']);
  expect(await names({ state: 'pending', searchTerm: 'ivy' })).toEqual(['Ivy Invited']);
  expect(await names({ state: 'active', who: 'contacts' })).not.toContain('Ivy Invited');
  expect(await names({ clientName: 'b-2', who: 'contacts' })).toEqual(
    expect.arrayContaining(['Benno Birch', 'Cleo Cedar', 'Ivy Invited']),
  );
  expect(await names({ searchTerm: 'ivy' }, sam)).toEqual([]);
  await expect(listed(ben)).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

test('an owner who joins by signing in at the issuer is listed once before they do', async () => {
  await createFirmFor(
    { firmName: 'Nora & Co', email: 'nora@nora.example', firstName: 'Nora', lastName: 'New' },
    { issuer: { address: 'https://login.example', host: 'login.example' } },
  );
  const { contact_id: id } = await db()
    .selectFrom('contacts')
    .select('contact_id')
    .where('full_name', '=', 'Nora New')
    .executeTakeFirstOrThrow();
  const found = await listed(await actorOf(id), {});
  expect(found.map(({ fullName, isInvitation }) => [fullName, isInvitation])).toEqual([['Nora New', false]]);
});

test('one invitation is sent again from its row, by those who may', async () => {
  const { invitationId } = await invite(mark, {
    emailAddress: 'rita@new.example',
    firstName: 'Rita',
    lastName: 'Resent',
    language: 'en-us',
    clientIds: [clientB],
  });
  const resend = (actor: Actor) => {
    const url = new URL('https://portal.example/clientcenter/en-us/staff/people?searchTerm=rita');
    const body = new URLSearchParams({ resend: invitationId });
    const pathTo = (page: string) => `/clientcenter/en-us/${page}`;
    const session = { actor };
    return peoplePage({
      url,
      request: new Request(url, { method: 'POST', body }),
      response: {},
      locals: { lang: 'en-us', pathTo, session },
    } as never);
  };
  const [row] = await listed(olga, { searchTerm: 'rita resent' });
  if (!row) throw new Error('Rita is not listed');
  const context = { lang: 'en-us', t: translationsFor('en-us', 'directory'), pathTo: (page: string) => page };
  expect(peopleGrid.actions?.(row, olga, context as never)).toEqual([
    { label: 'Resend', name: 'resend', value: invitationId, form: 'people' },
  ]);
  const linkOf = () =>
    db()
      .selectFrom('invitations')
      .select('token_hash')
      .where('invitation_id', '=', invitationId)
      .executeTakeFirstOrThrow();
  const before = await linkOf();
  const answer = await resend(olga);
  expect(answer instanceof Response && answer.headers.get('location')).toMatch(/people\?searchTerm=rita$/);
  expect(await linkOf(), 'a new link').not.toEqual(before);
  expect(await actionsOn(invitationId)).toContain('invitation.send');
  const sent = await linkOf();
  const otto = await person(firmTwo, 'Otto Owner', 'otto@two.example', { role: 'owner' });
  await resend(otto);
  expect(await linkOf(), 'staff of another firm').toEqual(sent);
  await expect(resend(sam)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(await linkOf(), 'staff who manage no contacts').toEqual(sent);
});
