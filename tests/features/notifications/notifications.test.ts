import { afterAll, beforeEach, expect, test } from 'vitest';
import { addComment } from '#features/documents/comments/comments.server.ts';
import { openDocument } from '#features/documents/downloads/fetching.server.ts';
import { trashDocument } from '#features/documents/trash/trash.server.ts';
import { announceUploads } from '#features/documents/uploads/notifications.server.ts';
import {
  countUnread,
  listNotifications,
  markAllRead,
  markRead,
  openNotification,
  putAway,
  sweepNotifications,
  takeOut,
  undo,
} from '#features/office/notifications/notifications.server.ts';
import { addNotifications } from '#features/office/notifications/rows.server.ts';
import { notificationText } from '#features/office/notifications/texts.server.ts';
import type { ListedState } from '#features/office/notifications/notifications.ts';
import { mailOf } from '#features/clients/mails/mails.server.ts';
import { saveNotifications } from '#features/clients/mails/notifications.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { DAY, HOUR, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { contributedByName } from '#platform/runtime/feature.server.ts';
import { mailKinds, optionalKinds } from '#platform/mail/mail-kinds.server.ts';
import { recordOpened } from '#platform/mail/mail-log.server.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import type { MailKind } from '#platform/mail/mail-kinds.ts';
import { sessionAs } from '../../support/api.ts';
import { makeCast, standAt, startMailServer, unlink, uploadAs } from '../../support/cast.ts';
import '../../../src/app.server.ts';
import { AT_ONCE } from '../../support/mail-choices.ts';

const { ada, ben, cleo, sam, zoe, firmOne, clientA, projectA } = await makeCast();
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
beforeEach(async () => {
  await mailServer.discard();
  await db().deleteFrom('notifications').execute();
  await db().deleteFrom('mails').execute();
  await db().deleteFrom('quiet_hours').execute();
  standAt(noon());
});

const noon = (): number =>
  Temporal.Instant.fromEpochMilliseconds(now() + DAY)
    .toZonedDateTimeISO('UTC')
    .with({ hour: 12, minute: 0 }).epochMilliseconds;
const place = { containerType: 'Project', containerId: projectA.id } as const;
const list = async (actor: Actor, state: ListedState = 'all') =>
  (await listNotifications(actor, { state, before: '' })).items;
/** Without the numbers of names that other tests took. */
const texts = async (actor: Actor, state: ListedState = 'unread'): Promise<string[]> =>
  (await list(actor, state)).map((row) => notificationText('en-us', row).replace(/ \(\d+\)/, ''));
const publish = async (...names: string[]): Promise<string[]> => {
  const ids = [];
  for (const name of names) ids.push((await uploadAs(sam, projectA, name, name)).id);
  await announceUploads(sam, projectA.id, ids);
  return ids;
};
const mailed = async (actor: Actor): Promise<(string | undefined)[]> =>
  (await mailServer.deliver())
    .filter(({ recipients }) => recipients[0]?.toLowerCase() === actor.emailAddress.toLowerCase())
    .map(({ mail }) => mail.subject);
const refused = (code: string): unknown => expect.objectContaining({ code });
/** Has ada’s emails held from 20:00 to 07:00, and waits for the evening. */
const evening = async (): Promise<void> => {
  await saveNotifications(sessionAs(ada), {
    kinds: optionalKinds(),
    isQuiet: true,
    from: 20,
    until: 7,
    timeZone: 'UTC',
    ...AT_ONCE,
  });
  standAt(now() + 9 * HOUR);
};

test('documents that staff publish are one notification for each contact until it is read', async () => {
  await publish('one.pdf');
  await publish('two.pdf', 'three.pdf');
  expect(await list(ada)).toMatchObject([
    { kind: 'documents-published', count: 3, clientId: clientA, isUnread: true },
  ]);
  expect(await countUnread(ada)).toBe(1);
  expect(await countUnread(ben), 'who does not act for the client').toBe(0);
  expect(await countUnread(sam), 'staff').toBe(0);
  expect(await list(zoe), 'another firm').toEqual([]);
  await markRead(ada, [(await list(ada))[0]?.notificationId ?? '']);
  await publish('four.pdf');
  expect(await texts(ada)).toEqual(['New document: four.pdf']);
  expect(await list(ada)).toHaveLength(2);
});

test('what is no longer so leaves a notification: documents that were opened or deleted', async () => {
  const [one = '', two = '', three = ''] = await publish('one.pdf', 'two.pdf', 'three.pdf');
  await openDocument(ada, place, one, true);
  expect(await list(ada)).toMatchObject([{ count: 2, isUnread: true }]);
  expect(await list(cleo)).toMatchObject([{ count: 3, isUnread: true }]);
  await trashDocument(sam, place, two);
  expect(await texts(ada)).toEqual(['New document: three.pdf']);
  await openDocument(ada, place, three, true);
  expect(await texts(ada)).toEqual([]);
  expect(await list(ada)).toMatchObject([{ isUnread: false }]);
});

test('an email is not sent to who has read in the portal what it says', async () => {
  await publish('read.pdf');
  await markRead(ada, [(await list(ada))[0]?.notificationId ?? '']);
  standAt(now() + HOUR);
  const sent = (await mailServer.deliver()).map(({ recipients }) => recipients[0]);
  expect(sent).toEqual([cleo.emailAddress]);
});

test('an email that is held for the quiet hours is canceled by reading, and sent if something else is unread', async () => {
  const [documentId = ''] = await publish('first.pdf');
  await evening();
  standAt(now() + HOUR);
  await mailServer.deliver();
  await addComment(sam, { documentId, text: 'Please look' });
  await mailServer.deliver();
  const held = await db()
    .selectFrom('mails')
    .select(['mail_id', 'kind', 'state'])
    .where('contact_id', '=', ada.contactId)
    .where('held_until', 'is not', null)
    .execute();
  expect(held.map(({ kind }) => kind).toSorted()).toEqual(['comment', 'documents']);
  const comment = (await list(ada)).find(({ kind }) => kind === 'comment');
  await openNotification(ada, comment?.notificationId ?? '');
  expect((await mailOf(sam, held.find(({ kind }) => kind === 'comment')?.mail_id ?? '')).state).toBe(
    'canceled',
  );
  standAt(now() + 10 * HOUR);
  expect(await mailed(ada)).toEqual([expect.stringContaining('first')]);
});

test('following the link of an email reads what it says', async () => {
  await publish('mailed.pdf');
  standAt(now() + HOUR);
  await mailServer.deliver();
  const { mail_id: mailId } = await db()
    .selectFrom('mails')
    .select('mail_id')
    .where('contact_id', '=', ada.contactId)
    .executeTakeFirstOrThrow();
  await recordOpened(mailId, ada.contactId);
  expect(await countUnread(ada)).toBe(0);
  expect(await countUnread(cleo)).toBe(1);
});

test('reading, putting away and all at once are undone by their moment', async () => {
  const [documentId = ''] = await publish('one.pdf');
  await addComment(sam, { documentId, text: 'One' });
  const [comment, document] = (await list(ada)).map((row) => row.notificationId);
  standAt(now() + 1000);
  const read = await markRead(ada, [comment ?? '', 'notification_none']);
  expect(read.count).toBe(1);
  standAt(now() + 1000);
  const away = await putAway(ada, [comment ?? '', document ?? '']);
  expect(away.count).toBe(2);
  expect(await list(ada)).toEqual([]);
  expect(await countUnread(ada)).toBe(0);
  await undo(ada, away.at);
  expect((await list(ada)).map(({ isUnread }) => isUnread)).toEqual([false, true]);
  await undo(ada, read.at);
  expect((await list(ada)).map(({ isUnread }) => isUnread)).toEqual([true, true]);
  standAt(now() + 1000);
  const all = await markAllRead(ada, Number.MAX_SAFE_INTEGER);
  expect(all.count).toBe(2);
  await addComment(sam, { documentId, text: 'Two' });
  await undo(ada, all.at);
  // the comment since then has the place of the earlier one
  expect(await texts(ada)).toEqual(['New comment on one.pdf', 'New document: one.pdf']);
  await putAway(ada, [document ?? '']);
  await takeOut(ada, [document ?? '']);
  expect(await list(ada, 'put-away')).toEqual([]);
});

test('all are read up to what was shown; what came later stays unread', async () => {
  const [documentId = ''] = await publish('shown.pdf');
  const [shown] = await list(ada);
  standAt(now() + 1000);
  await addComment(sam, { documentId, text: 'Later' });
  await markAllRead(ada, shown?.changedAt ?? 0);
  expect(await texts(ada)).toEqual(['New comment on shown.pdf']);
});

test('nobody reads or changes the notifications of others, and viewing as somebody marks nothing', async () => {
  await publish('mine.pdf');
  const [row] = await list(ada);
  const id = row?.notificationId ?? '';
  await expect(openNotification(cleo, id)).rejects.toEqual(refused('NOT_FOUND'));
  expect((await markRead(cleo, [id])).count).toBe(0);
  expect((await putAway(cleo, [id])).count).toBe(0);
  await takeOut(cleo, [id]);
  const viewing = { ...ada, viewedBy: sam.contactId };
  await openNotification(viewing, id);
  expect(await countUnread(ada)).toBe(1);
  await expect(markRead(viewing, [id])).rejects.toEqual(refused('FORBIDDEN'));
  await expect(putAway(viewing, [id])).rejects.toEqual(refused('FORBIDDEN'));
  await expect(undo(viewing, 1)).rejects.toEqual(refused('FORBIDDEN'));
  await expect(takeOut(viewing, [id])).rejects.toEqual(refused('FORBIDDEN'));
});

test('what is about a client is shown only while its person acts for it', async () => {
  await publish('secret name.pdf');
  const [row] = await list(cleo);
  await unlink(clientA, cleo);
  expect(await list(cleo)).toEqual([]);
  expect(await countUnread(cleo)).toBe(0);
  await expect(openNotification(cleo, row?.notificationId ?? '')).rejects.toEqual(refused('NOT_FOUND'));
});

test('an event that is rolled back tells nobody', async () => {
  const attempt = inTransaction(async () => {
    await addNotifications('comment', about(ada, 'key'));
    throw new Error('no');
  });
  await expect(attempt).rejects.toThrow('no');
  expect(await list(ada)).toEqual([]);
});

const about = ({ contactId }: Actor, key: string) => ({
  companyId: firmOne,
  clientId: clientA,
  contactIds: [contactId],
  key,
  things: [{ target: `answer:${key}`, name: key }],
});

test('the list goes on page by page, and the count of unread ones ends at 100', async () => {
  for (let number = 0; number < 120; number += 1) {
    if (number % 7 === 0) standAt(now() + 1000);
    await addNotifications('comment', about(ada, `document_${number}`));
  }
  expect(await countUnread(ada)).toBe(100);
  const seen = [];
  let before: string | undefined = '';
  while (before !== undefined) {
    const page = await listNotifications(ada, { state: 'unread', before });
    seen.push(...page.items.map(({ name }) => name));
    before = page.next;
  }
  expect(new Set(seen).size).toBe(120);
  expect(seen).toHaveLength(120);
});

test('what is half a year old is removed', async () => {
  await publish('old.pdf');
  standAt(now() + 181 * DAY);
  await addNotifications('comment', about(ada, 'new'));
  await sweepNotifications();
  expect(await list(ada)).toMatchObject([{ kind: 'comment' }]);
});

const mailAbout = (kind: MailKind, targets: string[] = []) =>
  firmMail({
    about: { kind, contactId: ada.contactId, targets },
    firm,
    to: ada.emailAddress,
    lang: 'en-us',
    title: `About ${kind}`,
    text: ['A line.'],
    button: { label: 'Open', link: mailedPage('en-us', 'profile/security', { companyId: firmOne }) },
    reason: 'A reason.',
  });
const firm = await firmOf(firmOne);

test('an email about the security of an account is sent always, and is a notification too', async () => {
  await evening();
  await queueMail(mailAbout('security'), 'security-1');
  await queueMail(mailAbout('security'), 'security-1');
  expect(await mailed(ada)).toEqual(['About security']);
  expect(await texts(ada)).toEqual(['About security']);
  const [row] = await list(ada);
  expect(await openNotification(ada, row?.notificationId ?? '')).toMatchObject({
    detail: 'profile/security',
  });
  await queueMail(mailAbout('access-code', ['signer_1']), 'code-1');
  expect(await mailed(ada)).toEqual(['About access-code']);
});

/** Emails that are no notifications, and why. */
const NO_NOTIFICATION: Record<string, string> = {
  invitation: 'its recipient has no account yet',
  reset: 'its recipient is signed out',
  'email-change': 'a link that works without signing in',
  'signature-link': 'its recipient has no account',
  share: 'its recipient has no account',
  'access-code': 'a code is entered where it is asked for',
  'daily-summary': 'all that is in it was announced',
  test: 'it tests the way of emails',
};

test('every kind of emails is a notification, or says why not', () => {
  const named = new Set(
    [...contributedByName('notifications').values()].flatMap((kind): readonly string[] =>
      'ofMails' in kind ? kind.ofMails : [],
    ),
  );
  // announced by events of their features
  for (const kind of ['documents', 'comment', 'task']) named.add(kind);
  expect(
    mailKinds()
      .filter((kind) => !named.has(kind))
      .toSorted(),
  ).toEqual(Object.keys(NO_NOTIFICATION).toSorted());
});

test('two events of the same group at the same time are one notification that counts both', async () => {
  const event = (target: string) =>
    addNotifications('task-returned', {
      companyId: firmOne,
      clientId: clientA,
      contactIds: [ada.contactId],
      key: 'one-task',
      things: [{ target, name: 'Returned' }],
    });
  await Promise.all([event('task_1'), event('task_2')]);
  const rows = await db()
    .selectFrom('notifications')
    .selectAll()
    .where('contact_id', '=', ada.contactId)
    .where('kind', '=', 'task-returned')
    .execute();
  expect(rows).toHaveLength(1);
  expect((await list(ada)).find(({ kind }) => kind === 'task-returned')).toMatchObject({ count: 2 });
});

test('who loses the client between the event and its email is not sent it', async () => {
  await evening();
  await publish('secret.pdf');
  expect(await mailed(ada), 'held').toEqual([]);
  const link = { client_id: clientA, contact_id: ada.contactId };
  const kept = await db()
    .selectFrom('client_contacts')
    .selectAll()
    .where((e) => e.and(link))
    .executeTakeFirstOrThrow();
  await unlink(clientA, ada);
  standAt(now() + 11 * HOUR);
  expect(await mailed(ada)).toEqual([]);
  await db().insertInto('client_contacts').values(kept).execute();
});
