import { afterAll, expect, test } from 'vitest';
import { createClient } from '#features/clients/clients/editing.server.ts';
import {
  checklistOf,
  closeChecklist,
  sendTestMail,
  startsWithChecklist,
} from '#features/base/first-day/checklist.server.ts';
import { createFirm } from '#features/base/firms/firms.server.ts';
import { invite, revokeInvitation } from '#features/identity/invitations/invitations.server.ts';
import { at, HOUR, now } from '#platform/runtime/clock.server.ts';
import { migrate } from '#platform/database/database.server.ts';
import { person, startMailServer } from '../../support/cast.ts';
import '../../../src/app.server.ts';

await migrate();
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
const companyId = await createFirm({ name: 'New Ledger', phone: '', email: '', language: 'en-us' });
const olga = await person(companyId, 'Olga Owner', 'olga@new.example', { role: 'owner' });

test('the checklist of an empty firm has nothing done, and is what its owner sees first', async () => {
  expect(Object.values((await checklistOf(olga)).done)).not.toContain(true);
  expect(await startsWithChecklist(olga)).toBe(true);
});

test('a step about staff says that an invitation waits, until it is revoked or expires', async () => {
  const request = { firstName: 'Ivy', lastName: 'New', language: 'en-us' as const, clientIds: [] };
  expect((await checklistOf(olga)).invited).toEqual([]);
  await invite(olga, { ...request, emailAddress: 'ivy@new.example', role: 'member' });
  expect((await checklistOf(olga)).invited).toEqual(['staff']);
  const owner = await invite(olga, { ...request, emailAddress: 'ira@new.example', role: 'owner' });
  expect((await checklistOf(olga)).invited).toEqual(['owner', 'staff']);
  await revokeInvitation(olga, owner.invitationId);
  expect((await checklistOf(olga)).invited).toEqual(['staff']);
  expect(await at(now() + 73 * HOUR, async () => (await checklistOf(olga)).invited)).toEqual([]);
});

test('the steps tick themselves off when the firm gets there', async () => {
  await sendTestMail(olga);
  expect((await checklistOf(olga)).mail).toBe('queued');
  const mail = (await mailServer.deliver()).find(({ recipients }) => recipients.includes('olga@new.example'));
  expect(mail?.recipients).toEqual(['olga@new.example']);
  await person(companyId, 'Mark Manager', 'mark@new.example', { role: 'manager' });
  expect((await checklistOf(olga)).done).toMatchObject({ mail: true, staff: true, owner: false });
  await person(companyId, 'Otto Owner', 'otto@new.example', { role: 'owner' });
  const clientId = await createClient(olga, { name: 'First Bakery' });
  await invite(olga, {
    emailAddress: 'ina@new.example',
    firstName: 'Ina',
    lastName: 'New',
    language: 'en-us',
    clientIds: [clientId],
  });
  expect((await checklistOf(olga)).done).toMatchObject({ owner: true, clients: true, invite: true });
  expect(await startsWithChecklist(olga), 'the firm works').toBe(false);
});

test('only those who manage the firm see, use and close the checklist', async () => {
  const rita = await person(companyId, 'Rita Reader', 'rita@new.example', { role: 'reader' });
  const cleo = await person(companyId, 'Cleo Contact', 'cleo@new.example');
  for (const who of [rita, cleo]) {
    for (const act of [checklistOf, sendTestMail, closeChecklist])
      await expect(act(who)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await startsWithChecklist(who)).toBe(false);
  }
  await closeChecklist(olga);
  expect((await checklistOf(olga)).isClosed).toBe(true);
});
