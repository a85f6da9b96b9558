import { afterAll, beforeEach, expect, test } from 'vitest';
import { continueBatch } from '#features/base/batches/running.server.ts';
import { batchOf, inviteMany, invitePending } from '#features/identity/invitations/batches.server.ts';
import {
  acceptInvitation,
  invite,
  listInvitations,
  prepareInvitation,
  revokeInvitation,
  sendAgain,
  setInvitationClients,
  viewInvitation,
} from '#features/identity/invitations/invitations.server.ts';
import { actorOf, clientIdsOf, contactsOf, decideAccess } from '#features/base/people/people.server.ts';
import { verifyRights } from '#features/base/people/rights-macs.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { runDueJobs } from '../../support/jobs.ts';
import { makeCast, person, standAt, startMailServer } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { firmOne, clientA, clientB, clientTwo, ada, sam } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const mark = await person(firmOne, 'Mark Manager', 'mark@one.example', { role: 'manager' });
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
beforeEach(() => standAt(now() + 25 * HOUR));

const PHRASE = 'nine green kettles sing';
const request = (name: string, more: object = {}) => ({
  emailAddress: `${name.toLowerCase()}@new.example`,
  firstName: name,
  lastName: 'Newcomer',
  language: 'en-us' as const,
  clientIds: [],
  ...more,
});
const tokenIn = (text = ''): string => /\/auth\/invitation\/([\w-]{43})\b/.exec(text)?.[1] ?? '';
const tokenSent = async () => tokenIn((await mailServer.deliver()).at(-1)?.mail.text);
const found = async (name: string): Promise<Actor> => {
  const [one] = await contactsOf(firmOne, name);
  return actorOf(one?.contactId ?? '');
};
const clientsOf = async (actor: Actor) =>
  (await clientIdsOf(actor).execute()).map(({ client_id: id }) => id).sort();

test('an owner invites staff with a role, and accepting makes them staff of that role', async () => {
  await invite(olga, request('Nora', { role: 'manager' }));
  const [mail] = await mailServer.deliver();
  expect(mail?.mail.subject).toBe('Maple & Hart invited you to their team');
  const token = tokenIn(mail?.mail.text);
  expect(await viewInvitation(token)).toMatchObject({ isStaff: true });
  await acceptInvitation(token, { password: PHRASE });
  expect(await found('Nora')).toMatchObject({ staff: true, role: 'manager', hasAllClients: true });
  expect((await verifyRights()).faults).toEqual([]);
});

test('staff invited for their clients only see these clients, and nobody else’s', async () => {
  await invite(olga, request('Mia', { role: 'member', hasAllClients: false, clientIds: [clientB] }));
  await acceptInvitation(await tokenSent(), { password: PHRASE });
  expect(await clientsOf(await found('Mia'))).toEqual([clientB]);
});

test('a manager invites contacts and no staff, and a member invites nobody', async () => {
  await expect(invite(mark, request('Eve', { role: 'reader' }))).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(invite(sam, request('Eve'))).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(invite(mark, request('Carl', { clientIds: [clientA] }))).resolves.toMatchObject({
    state: 'open',
  });
});

test('a manager neither sees, sends nor revokes the invitations of staff', async () => {
  const { invitationId } = await invite(olga, request('Ina', { role: 'owner' }));
  expect((await listInvitations(mark)).map((one) => one.invitationId)).not.toContain(invitationId);
  for (const act of [sendAgain, revokeInvitation])
    await expect(act(mark, invitationId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('an invitation of staff ends when its sender may no longer invite staff', async () => {
  const second = await person(firmOne, 'Otto Owner', 'otto@one.example', { role: 'owner' });
  await invite(second, request('Uwe', { role: 'owner' }));
  const token = await tokenSent();
  await decideAccess(firmOne, second.contactId, { kind: 'permission', name: 'ManageFirm' }, false);
  await expect(acceptInvitation(token, { password: PHRASE })).rejects.toMatchObject({ code: 'GONE' });
});

test('an invitation whose role was changed in the database is not accepted', async () => {
  const { invitationId } = await invite(mark, request('Ulla', { clientIds: [clientA] }));
  const token = await tokenSent();
  await db()
    .updateTable('invitations')
    .set({ role: 'owner' })
    .where('invitation_id', '=', invitationId)
    .execute();
  await expect(acceptInvitation(token, { password: PHRASE })).rejects.toMatchObject({ code: 'GONE' });
});

test('managers with assigned clients invite for these, and see no other invitations', async () => {
  await invite(olga, request('Anna', { role: 'manager', hasAllClients: false, clientIds: [clientA] }));
  await acceptInvitation(await tokenSent(), { password: PHRASE });
  const anna = await found('Anna');
  await expect(invite(anna, request('Bob', { clientIds: [clientB] }))).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await expect(invite(anna, request('Bob'))).rejects.toMatchObject({ code: 'INVALID' });
  await invite(olga, request('Bea', { clientIds: [clientB] }));
  await invite(anna, request('Amy', { clientIds: [clientA] }));
  const names = (await listInvitations(anna)).map(({ firstName }) => firstName);
  expect(names).toContain('Amy');
  expect(names).not.toContain('Bea');
});

test('a prepared invitation is sent later, to the clients that it has then', async () => {
  await mailServer.discard();
  const prepared = await prepareInvitation(mark, request('Paula', { clientIds: [clientA] }));
  expect(prepared.state).toBe('prepared');
  expect(await mailServer.deliver()).toEqual([]);
  await setInvitationClients(mark, prepared.invitationId, (ids) => [...ids, clientB]);
  await expect(
    setInvitationClients(mark, prepared.invitationId, (ids) => [...ids, clientTwo]),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await sendAgain(mark, prepared.invitationId);
  await acceptInvitation(await tokenSent(), { password: PHRASE });
  expect(await clientsOf(await found('Paula'))).toEqual([clientA, clientB].sort());
});

const listed = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => ({
    ...request(`${name}${index}`),
    line: index + 1,
    clientIds: [clientA],
  }));

test('1,500 people are invited at once, and each line has its result', async () => {
  await mailServer.discard();
  const people = listed(1500, 'Many');
  const batchId = await inviteMany(mark, [
    ...people,
    { ...request('x'), line: 1501, emailAddress: ada.emailAddress },
    { ...request('Many7'), line: 1502 },
  ]);
  expect(await batchOf(mark, batchId)).toMatchObject({ total: 1500, sent: 0, isFinished: false });
  // as its jobs do; the 1,500 mails need not arrive
  while (!(await batchOf(mark, batchId)).isFinished) await continueBatch(batchId);
  const batch = await batchOf(mark, batchId);
  expect(batch).toMatchObject({ total: 1500, sent: 1500, isFinished: true, stoppedBy: '' });
  expect(batch.problems.map(({ line, code }) => [line, code])).toEqual([
    [1501, 'taken'],
    [1502, 'twice'],
  ]);
  await mailServer.discard();
  await expect(batchOf(sam, batchId)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(inviteMany(mark, listed(2001, 'Over'))).rejects.toMatchObject({ code: 'TOO_LARGE' });
});

test('a batch stops when its sender loses the right to invite, and the rest can be sent by others', async () => {
  const batchId = await inviteMany(mark, listed(3, 'Rest'));
  await decideAccess(firmOne, mark.contactId, { kind: 'permission', name: 'ManageContacts' }, false);
  await runDueJobs();
  expect(await batchOf(olga, batchId)).toMatchObject({ sent: 0, stoppedBy: 'RIGHTS' });
  await decideAccess(firmOne, mark.contactId, { kind: 'permission', name: 'ManageContacts' }, undefined);
  const next = await invitePending(olga);
  await runDueJobs();
  expect((await batchOf(olga, next)).sent).toBeGreaterThanOrEqual(3);
});
