import { afterAll, beforeEach, expect, test } from 'vitest';
import {
  decideAccess,
  actorOf,
  accountsOf,
  clientIdsOf,
  endSessionsOf,
} from '#features/base/people/people.server.ts';
import { changeRights, endSessionsOfContact } from '#features/base/people/rights.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { firmForVisitor, firmOf } from '#features/base/firms/firms.server.ts';
import { invite } from '#features/identity/invitations/invitations.server.ts';
import { findSession, startSession } from '#features/identity/sessions/sessions.server.ts';
import { issueApiToken } from '#features/identity/sessions/tokens.server.ts';
import { saveStripeKeys } from '#features/payments/payments/accounts.server.ts';
import { stripeAccountOf } from '#features/payments/payments/providers/stripe-accounts.server.ts';
import { addNotifications } from '#features/office/notifications/rows.server.ts';
import { subscribe } from '#features/office/push/subscriptions.server.ts';
import {
  enterPractice,
  leavePractice,
  practiceAsClient,
  practiceAsStaff,
  practiceClients,
  practiceSince,
  resetPractice,
} from '#features/demo/practice/practice.server.ts';
import { removeFormer } from '#features/demo/practice/removal.server.ts';
import { setReading } from '#features/documents/documents/reading.server.ts';
import { STEPS } from '#features/office/welcome/steps.ts';
import { putAway } from '#features/office/welcome/first-steps.server.ts';
import { db } from '#platform/database/database.server.ts';
import { allTables } from '#platform/database/tables.server.ts';
import { verify } from '#platform/database/verification.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import { queueMail, type Mail } from '#platform/mail/mail.server.ts';
import { sweepBlobs } from '#platform/storage/blobs.server.ts';
import { DAY, MINUTE, moveClock, now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { impersonating, sessionAs } from '../../support/api.ts';
import { blobFiles, everyRow, makeCast, person, startMailServer, standAt } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';
import { startPushService } from '../../support/push-service.ts';
import '../../../src/app.server.ts';

/*
 * The practice firm (docs/decisions/0148): nothing leaves the portal for it, nothing of the real firm is in it, and who loses
 * the account in the real one loses it, too.
 */

const { ada, sam, firmOne, firmTwo } = await makeCast();
const other = await person(firmTwo, 'Otto Other', 'otto@two.example', { role: 'owner' });
const owner = await person(firmOne, 'Oona Owner', 'oona@one.example', { role: 'owner' });
const reader = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });
const mailServer = await startMailServer();
const push = await startPushService();
const services = config.pushServices;
config.pushServices = [push.origin];
afterAll(async () => {
  config.pushServices = services;
  await push.stop();
  await mailServer.close();
});
beforeEach(async () => {
  await db().deleteFrom('limits').execute();
  await mailServer.deliver();
});

const device = { userAgent: 'Mozilla/5.0', network: '192.0.2.1' };
const documentsIn = (companyId: string) =>
  db()
    .selectFrom('documents')
    .select(['document_id', 'blob_key'])
    .where('company_id', '=', companyId)
    .execute();
const found = async (token: string): Promise<Session> => {
  const session = await findSession(token);
  if (!session) throw new Error('no session');
  return session;
};
const signedIn = async (actor: Actor): Promise<Session> =>
  found(await startSession(actor, { amr: ['pwd', 'mfa'], device }));
const inPractice = async (actor: Actor): Promise<Session> =>
  found(await enterPractice(await signedIn(actor)));
const refused = (code: string): unknown => expect.objectContaining({ code });
const clientsOf = async (actor: Actor): Promise<string[]> =>
  (await clientIdsOf(actor).execute()).map(({ client_id: id }) => id);
const mailsOf = (companyId: string) =>
  db().selectFrom('mails').select(['kind', 'state']).where('company_id', '=', companyId).execute();

test('staff enter a firm of its own with made-up clients, tasks, documents and a message, and leave it again', async () => {
  const session = await inPractice(sam);
  expect(session).toMatchObject({
    practicedBy: sam.contactId,
    hasOtherAccounts: false,
    actor: { fullName: sam.fullName, role: 'owner', staff: true },
  });
  const { companyId } = session.actor;
  expect(companyId).not.toBe(firmOne);
  const { name } = await firmOf(firmOne);
  expect(await firmOf(companyId)).toMatchObject({ isPractice: true, name: `Practice – ${name}` });
  expect(await firmOf(firmOne)).toMatchObject({ isPractice: false });
  const clients = await db()
    .selectFrom('clients')
    .select('name')
    .where('company_id', '=', companyId)
    .execute();
  expect(clients.map((client) => client.name).toSorted()).toEqual([
    'Example Bakery',
    'Example Transport',
    'Kim Sample',
  ]);
  const count = async (table: 'tasks' | 'documents' | 'client_messages' | 'inbox_items') =>
    (await db().selectFrom(table).select('company_id').where('company_id', '=', companyId).execute()).length;
  expect(await count('tasks')).toBe(4);
  expect(await count('documents')).toBe(3);
  expect(await count('client_messages')).toBe(1);
  expect(await count('inbox_items')).toBeGreaterThan(0);
  const back = await found(await leavePractice(session));
  expect(back).toMatchObject({ actor: { contactId: sam.contactId } });
  expect(back.practicedBy).toBeUndefined();
  expect(await findSession(session.id)).toBeUndefined();
  expect(await verify()).toMatchObject({ faults: [] });
});

test('a team has one practice firm, and each of its people an account there, also when two enter at the same time', async () => {
  const [first, second] = await Promise.all([inPractice(owner), inPractice(reader)]);
  expect(first.actor.companyId).toBe(second.actor.companyId);
  expect(first.actor.contactId).not.toBe(second.actor.contactId);
  expect(second.actor.role).toBe('owner');
  const again = await inPractice(owner);
  expect(again.actor.contactId).toBe(first.actor.contactId);
  const theirs = await inPractice(other);
  expect(theirs.actor.companyId).not.toBe(first.actor.companyId);
});

test('nothing of the real firm is seen in it, and nothing of it in the real firm', async () => {
  const session = await inPractice(owner);
  const real = await db()
    .selectFrom('clients')
    .select('client_id')
    .where('company_id', '=', firmOne)
    .execute();
  const [inside, outside] = [new Set(await clientsOf(session.actor)), new Set(await clientsOf(owner))];
  expect(inside.size).toBe(3);
  expect(outside).toEqual(new Set(real.map(({ client_id: id }) => id)));
  expect(inside.isDisjointFrom(outside)).toBe(true);
  await expect(practiceAsClient(session, ada.contactId)).rejects.toEqual(refused('NOT_FOUND'));
  await expect(practiceAsClient(await signedIn(owner), ada.contactId)).rejects.toEqual(refused('NOT_FOUND'));
});

test('no email leaves, whatever queues it; the list of emails has it', async () => {
  const session = await inPractice(owner);
  const { companyId } = session.actor;
  await mailServer.deliver();
  await invite(session.actor, {
    emailAddress: 'canary@outside.example',
    firstName: 'Carl',
    lastName: 'Canary',
    language: 'en-us',
    clientIds: [],
  });
  const [mail] = await db()
    .selectFrom('mails')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('kind', '=', 'invitation')
    .execute();
  expect(mail).toMatchObject({ state: 'canceled' });
  // past the queue of emails
  const canary: Mail & { key: string } = {
    mailId: newId('mail'),
    key: 'canary',
    about: { kind: 'invitation' },
    to: 'canary@outside.example',
    from: { name: 'Canary' },
    subject: 'Canary',
    html: 'Canary',
    text: 'Canary',
    language: 'en-us',
    companyId,
  };
  await enqueue('mail', canary, 'mail:canary', companyId);
  await queueMail({ ...canary, mailId: newId('mail') }, 'canary-2');
  standAt(now() + DAY);
  expect(await mailServer.deliver()).toEqual([]);
  expect(new Set((await mailsOf(companyId)).map(({ state }) => state))).toEqual(new Set(['canceled']));
  // the same from the real firm leaves
  await queueMail({ ...canary, mailId: newId('mail'), companyId: firmOne }, 'canary-3');
  expect(await mailServer.deliver()).toHaveLength(1);
});

test('no push notification leaves, and a browser keeps those of the real account', async () => {
  await db().deleteFrom('push_subscriptions').execute();
  const session = await inPractice(owner);
  const client = await found(
    await practiceAsClient(session, (await practiceClients(session))[0]?.contactId ?? ''),
  );
  const browser = push.browser();
  const how = { ...browser.subscription, showsTitles: false, isRenewal: false };
  const about = { language: 'en-us', userAgent: 'Mozilla/5.0' } as const;
  await subscribe(sessionAs(ada), how, about);
  expect(await subscribe(client, how, about)).toEqual({ isOn: false });
  const rows = await db().selectFrom('push_subscriptions').select('contact_id').execute();
  expect(rows).toEqual([{ contact_id: ada.contactId }]);
  await addNotifications('task-returned', {
    companyId: session.actor.companyId,
    clientId: (await clientsOf(client.actor))[0] ?? '',
    contactIds: [client.actor.contactId],
    key: 'task_1',
    things: [{ target: 'task_1', name: 'Returned' }],
  });
  standAt(now() + DAY);
  await runDueJobs();
  expect(push.received).toEqual([]);
});

test('no account at a payment provider can be entered, and the real firm keeps that of the installation', async () => {
  const session = await inPractice(owner);
  await expect(saveStripeKeys(session, { secretKey: 'sk_test_1', webhookSecret: 'whsec_1' })).rejects.toEqual(
    refused('FORBIDDEN'),
  );
  expect(await stripeAccountOf(session.actor.companyId)).toBeUndefined();
});

test('staff become a client of it, do what a client does, and come back', async () => {
  const session = await inPractice(owner);
  const clients = await practiceClients(session);
  expect(clients.map(({ name }) => name)).toEqual(['Robin Example', 'Kim Sample']);
  const client = await found(await practiceAsClient(session, clients[0]?.contactId ?? ''));
  expect(client).toMatchObject({
    practicedBy: owner.contactId,
    actor: { fullName: 'Robin Example', staff: false },
  });
  expect(client.viewing).toBeUndefined();
  expect((await clientsOf(client.actor)).length).toBe(2);
  const staff = await found(await practiceAsStaff(client));
  expect(staff.actor.contactId).toBe(session.actor.contactId);
  expect(
    await found(await leavePractice(await found(await practiceAsClient(staff, clients[1]?.contactId ?? '')))),
  ).toMatchObject({
    actor: { contactId: owner.contactId },
  });
});

test('who may not enter: contacts, whoever views as one, programs, and who is there already', async () => {
  await expect(enterPractice(await signedIn(ada))).rejects.toEqual(refused('FORBIDDEN'));
  await expect(enterPractice(impersonating(ada, sam))).rejects.toEqual(refused('FORBIDDEN'));
  await expect(enterPractice({ ...(await signedIn(sam)), byToken: 'token_1' })).rejects.toEqual(
    refused('FORBIDDEN'),
  );
  await expect(enterPractice(await inPractice(sam))).rejects.toEqual(refused('FORBIDDEN'));
  await expect(leavePractice(await signedIn(sam))).rejects.toEqual(refused('NOT_FOUND'));
  await expect(practiceAsStaff(await signedIn(sam))).rejects.toEqual(refused('NOT_FOUND'));
});

test('who loses the account in the real firm is out of the practice firm at once', async () => {
  const temp = await person(firmOne, 'Tom Temp', `tom-${newId('x')}@one.example`, { role: 'member' });
  const tokens = [await enterPractice(await signedIn(temp)), await enterPractice(await signedIn(temp))];
  await endSessionsOfContact(temp.contactId);
  for (const token of tokens) expect(await findSession(token)).toBeUndefined();
  const token = await enterPractice(await signedIn(temp));
  await changeRights(temp.contactId, { suspended_at: now() });
  expect(await findSession(token)).toBeUndefined();
});

test('it ends with the sign-in of the real person, and leaves no other way in', async () => {
  const session = await inPractice(owner);
  expect(await accountsOf(session.actor.prismGuid)).toEqual([]);
  await expect(issueApiToken(session)).rejects.toEqual(refused('FORBIDDEN'));
  const token = await enterPractice(await signedIn(owner));
  await endSessionsOf(owner.prismGuid);
  expect(await findSession(token)).toBeUndefined();
});

test('the settings of access are those of the real firm', async () => {
  await decideAccess(firmOne, undefined, { kind: 'control', name: 'HideTasks' }, true);
  const session = await inPractice(owner);
  await resetPractice(session);
  const again = await inPractice(owner);
  const client = (await practiceClients(again))[0]?.contactId ?? '';
  expect((await actorOf(client)).access.controls.has('HideTasks')).toBe(true);
  await decideAccess(firmOne, undefined, { kind: 'control', name: 'HideTasks' }, undefined);
});

test('starting over makes it new for everybody: nobody opens the old one, and colleagues are in their own firm', async () => {
  const [mine, theirs] = [await inPractice(owner), await enterPractice(await signedIn(reader))];
  const old = mine.actor.companyId;
  const token = await resetPractice(mine);
  const fresh = await found(token ?? '');
  expect(fresh.actor.companyId).not.toBe(old);
  expect(fresh.practicedBy).toBe(owner.contactId);
  expect(await found(theirs)).toMatchObject({ actor: { contactId: reader.contactId } });
  expect((await firmOf(old)).locked).toBe(true);
  expect((await inPractice(reader)).actor.companyId).toBe(fresh.actor.companyId);
  expect(await practiceSince(owner)).toBeDefined();
  // from the real firm
  expect(await resetPractice(await signedIn(owner))).toBeUndefined();
  expect((await inPractice(reader)).actor.companyId).not.toBe(fresh.actor.companyId);
});

/** What stays of a firm, what follows its people, and what passes by itself: sessions go on in the firm that is new. */
const STAYS = [
  'firms',
  'themes',
  'users',
  'contacts',
  'audit',
  'audit_heads',
  'receipts',
  'attention',
  'limits',
  'sessions',
];
const isOfPeople = (table: string): boolean => table.startsWith('contact_search') || STAYS.includes(table);

/** Every row as text, by table, but of what databases keep for searches. */
const rowTexts = async (): Promise<[table: string, rows: string[]][]> =>
  Object.entries(await everyRow())
    .filter(([table]) => !/_words/.test(table) && !isOfPeople(table))
    .map(([table, rows]) => [table, rows.map((row) => JSON.stringify(row))]);

/** Tables whose rows name the firm, but whose keys are those of others. */
const NOT_THEIRS: readonly string[] = ['users', 'mailbox', 'practice_firms'];

/** The keys of all rows of a firm, and of those that name one of them. */
async function idsOf(companyId: string, more: readonly string[]): Promise<Set<string>> {
  const ids = new Set([companyId, ...more]);
  const all = await everyRow();
  for (let size = 0; size < ids.size;) {
    size = ids.size;
    for (const { name, key } of allTables())
      for (const row of (all[name] ?? []) as Record<string, unknown>[])
        if (
          key.length === 1 &&
          !NOT_THEIRS.includes(name) &&
          Object.values(row).some((value) => ids.has(String(value)))
        )
          ids.add(String(row[key[0] ?? '']));
  }
  return ids;
}

test('what was done in a practice firm that was started over is removed with its files, and nothing of other firms', async () => {
  const session = await inPractice(owner);
  const { companyId } = session.actor;
  const [robin] = await practiceClients(session);
  const asRobin = await found(await practiceAsClient(session, robin?.contactId ?? ''));
  const [{ document_id: documentId = '' } = {}] = await documentsIn(companyId);
  await setReading(asRobin.actor, { documentIds: [documentId], isRead: true });
  await putAway(asRobin.actor, STEPS);
  const keys = (await documentsIn(companyId)).map((row) => row.blob_key);
  expect(keys.length).toBeGreaterThan(2);
  const ids = await idsOf(companyId, keys);
  const isTheirs = (row: string): boolean => [...ids].some((id) => row.includes(id));

  await removeFormer({ companyId });
  expect(await documentsIn(companyId), 'while it is in use').not.toEqual([]);
  await removeFormer({ companyId: firmOne });
  await resetPractice(await signedIn(owner));
  const before = await rowTexts();
  await removeFormer({ companyId });
  const after = new Map(await rowTexts());
  const removed = before.flatMap(([table, rows]) => {
    const left = new Set(after.get(table));
    return rows.filter((row) => !left.has(row)).map((row) => [table, row] as const);
  });
  expect(removed.filter(([, row]) => !isTheirs(row))).toEqual([]);
  expect(removed.length).toBeGreaterThan(50);
  for (const [table, rows] of after) expect(rows.filter(isTheirs), table).toEqual([]);
  for (const [table, rows] of after)
    expect(
      rows.filter((row) => before.every(([name, known]) => name !== table || !known.includes(row))),
      table,
    ).toEqual([]);
  await sweepBlobs(now() + 1);
  const files = await blobFiles();
  expect(files.filter((key) => keys.includes(key))).toEqual([]);
  expect(files).not.toEqual([]);
  expect(await verify()).toMatchObject({ faults: [] });
  await removeFormer({ companyId });
});

test('it is removed a little after starting over, when nothing is under way in it', async () => {
  const { companyId } = (await inPractice(owner)).actor;
  await resetPractice(await signedIn(owner));
  await runDueJobs();
  expect(await documentsIn(companyId)).not.toEqual([]);
  moveClock(11 * MINUTE);
  await runDueJobs();
  expect(await documentsIn(companyId)).toEqual([]);
  expect((await firmOf(companyId)).locked).toBe(true);
});

test('starting over needs a practice firm, and is limited', async () => {
  await db().deleteFrom('practice_firms').execute();
  await expect(resetPractice(await signedIn(owner))).rejects.toEqual(refused('NOT_FOUND'));
  await inPractice(owner);
  await db().updateTable('limits').set({ used: 10 }).execute();
  await expect(resetPractice(await signedIn(owner))).rejects.toEqual(refused('TOO_MANY'));
});

test('who enters, becomes a client and starts over is in the audit log', async () => {
  const session = await inPractice(owner);
  await practiceAsClient(session, (await practiceClients(session))[0]?.contactId ?? '');
  await resetPractice(await signedIn(owner));
  const actions = async (companyId: string) =>
    (await db().selectFrom('audit').select('action').where('company_id', '=', companyId).execute()).map(
      ({ action }) => action,
    );
  expect(await actions(firmOne)).toEqual(
    expect.arrayContaining(['practice.create', 'practice.enter', 'practice.reset']),
  );
  expect(await actions(session.actor.companyId)).toContain('practice.act');
});

test('the only real firm stays the one whose theme visitors see', async () => {
  await inPractice(owner);
  const firms = await db()
    .selectFrom('firms')
    .select('company_id')
    .where('practice_of', 'is', null)
    .execute();
  const shown = await firmForVisitor();
  expect(shown?.companyId).toBe(firms.length === 1 ? firmOne : undefined);
});
