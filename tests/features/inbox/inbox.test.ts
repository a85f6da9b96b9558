import '../../../src/app.server.ts';
import { afterAll, beforeEach, expect, test } from 'vitest';
import {
  decide,
  listItems,
  startReview,
  sweepReviews,
} from '#features/clients/access-review/access-review.server.ts';
import { REVIEW_DAYS } from '#features/clients/access-review/access-review.ts';
import { addComment, removeComment } from '#features/documents/comments/comments.server.ts';
import { openDocument } from '#features/documents/downloads/fetching.server.ts';
import {
  inboxCounts,
  listInbox,
  markDone,
  markNotMine,
  openItem,
  setRead,
  sweepInbox,
  undoDone,
  undoNotMine,
  unreadFor,
  waitingOfClient,
} from '#features/office/inbox/inbox.server.ts';
import { inboxQuery, type InboxItem, type InboxQuery } from '#features/office/inbox/inbox.ts';
import { announceExpired } from '#features/identity/invitations/expired.server.ts';
import { nextStep } from '#features/office/inbox/texts.server.ts';
import { createFolder } from '#features/documents/folders/folders.server.ts';
import { invite, sendAgain } from '#features/identity/invitations/invitations.server.ts';
import { resendMail } from '#features/clients/mails/mails.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { askAgain } from '#features/sharing/sharing/recipient.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { restoreFolder, trashFolder } from '#features/documents/trash/folder-trash.server.ts';
import { restoreDocuments, trashDocument } from '#features/documents/trash/trash.server.ts';
import { announceUploads } from '#features/documents/uploads/notifications.server.ts';
import { DAY, HOUR, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { recordBounce, recordOpened } from '#platform/mail/mail-log.server.ts';
import { sessionAs } from '../../support/api.ts';
import { makeCast, person, standAt, startMailServer, uploadAs } from '../../support/cast.ts';

const { ada, ben, cleo, sam, tom, zoe, firmOne, clientA, clientB, projectA, projectB, projectTwo } =
  await makeCast();
const grace = await person(firmOne, 'Grace Gate', 'grace@one.example', { role: 'owner' });
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
beforeEach(async () => {
  await db().deleteFrom('inbox_items').execute();
  standAt(now() + 25 * HOUR);
});

const list = async (actor: Actor, query: Partial<InboxQuery> = { of: 'all' }): Promise<InboxItem[]> =>
  (await listInbox(actor, inboxQuery.parse(query))).items;
const kinds = async (actor: Actor): Promise<string[]> =>
  (await list(actor)).map(({ kind, count }) => `${kind} ${count}`);
const place = { containerType: 'Project', containerId: projectA.id } as const;
const refused = (code: string): unknown => expect.objectContaining({ code });

test('uploads of clients are one row per folder, which leaves when staff have opened or deleted all', async () => {
  const one = await uploadAs(ada, projectA, 'one.pdf', '1');
  const two = await uploadAs(ada, projectA, 'two.pdf', '2');
  const three = await uploadAs(ada, projectA, 'three.pdf', '3');
  expect(await kinds(sam)).toEqual(['documents 3']);
  await openDocument(cleo, place, one.id, true);
  expect(await kinds(sam)).toEqual(['documents 3']);
  await openDocument(sam, place, one.id, true);
  await openDocument(sam, place, one.id, true);
  await trashDocument(ada, place, two.id);
  expect(await kinds(sam)).toEqual(['documents 1']);
  await openDocument(sam, place, three.id, true);
  expect(await kinds(sam)).toEqual([]);
});

test('an upload that a contact deletes and takes back waits again; what staff take back does not', async () => {
  const { id } = await uploadAs(ada, projectA, 'again.pdf', 'again');
  await trashDocument(ada, place, id);
  expect(await kinds(sam)).toEqual([]);
  await restoreDocuments(ada, [id]);
  expect((await list(sam)).map(({ kind, name }) => [kind, name])).toEqual([['documents', 'again.pdf']]);
  await trashDocument(sam, place, id);
  await restoreDocuments(sam, [id]);
  expect(await kinds(sam)).toEqual([]);

  const folder = await createFolder(ada, { name: 'Again', parentId: projectA.id, parentType: 'Project' });
  await uploadAs(ada, folder, 'inside.pdf', 'inside');
  await trashFolder(ada, 'Folder', folder.id);
  expect(await kinds(sam)).toEqual([]);
  await restoreFolder(ada, folder.id);
  expect(await kinds(sam)).toEqual(['documents 1']);
});

test('the page of a client shows what has waited longest about it, and says if there is more', async () => {
  const made: string[] = [];
  for (let i = 0; i < 6; i += 1) {
    const { id } = await uploadAs(sam, projectA, `asked ${i}.pdf`, `a${i}`);
    await addComment(ada, { documentId: id, text: 'Is this right?' });
    made.push(id);
    standAt(now() + HOUR);
  }
  await uploadAs(ben, projectB, 'of-ben.pdf', 'b');
  const { items, isMore } = await waitingOfClient(sam, clientA);
  expect(items.map(({ name }) => name)).toEqual([0, 1, 2, 3, 4].map((i) => `asked ${i}.pdf`));
  expect(isMore).toBe(true);
  for (const documentId of made.slice(0, 2)) await addComment(sam, { documentId, text: 'It is.' });
  expect(await waitingOfClient(sam, clientA)).toMatchObject({ items: { length: 4 }, isMore: false });
  expect((await waitingOfClient(tom, clientA)).items).toEqual([]);
  await expect(waitingOfClient(ada, clientA)).rejects.toEqual(refused('FORBIDDEN'));
});

test('what staff publish is not in the inbox', async () => {
  await uploadAs(sam, projectA, 'published.pdf', 'p');
  expect(await kinds(sam)).toEqual([]);
});

test('comments of clients wait until staff answer, and withdrawn ones do not', async () => {
  const { id } = await uploadAs(sam, projectA, 'commented.pdf', 'c');
  const comment = await addComment(ada, { documentId: id, text: 'Is this right?' });
  await addComment(cleo, { documentId: id, text: 'I wonder, too.' });
  expect(await kinds(sam)).toEqual(['comments 2']);
  expect((await list(sam))[0]).toMatchObject({ name: 'commented.pdf', key: id, clientId: clientA });
  await removeComment(ada, comment.id);
  expect(await kinds(sam)).toEqual(['comments 1']);
  await addComment(sam, { documentId: id, text: 'It is.' });
  expect(await kinds(sam)).toEqual([]);
});

test('an email that bounced waits until it is sent again or its recipient opens its link', async () => {
  for (const act of ['again', 'opened'] as const) {
    const { id } = await uploadAs(sam, projectA, `${act}.pdf`, act);
    await announceUploads(sam, projectA.id, [id]);
    standAt(now() + HOUR);
    await mailServer.deliver();
    const { mail_id: mailId } = await db()
      .selectFrom('mails')
      .select('mail_id')
      .where('contact_id', '=', ada.contactId)
      .orderBy('queued_at', 'desc')
      .executeTakeFirstOrThrow();
    await recordBounce({ mail_id: mailId }, '5.1.1');
    expect((await list(sam)).map(({ kind, name }) => [kind, name])).toEqual([['mail', 'ada@one.example']]);
    if (act === 'again') await resendMail(sam, mailId);
    else await recordOpened(mailId, ada.contactId);
    expect(await kinds(sam)).toEqual([]);
    await mailServer.discard();
  }
});

test('a recipient who asks for a new link waits for the firm and the sender', async () => {
  const { id } = await uploadAs(sam, projectA, 'shared.pdf', 's');
  await shareDocuments(
    sam,
    {
      expirationPeriod: 'AfterOneDay',
      overrides: { subject: 'The return', body: '' },
      recipients: [{ emailAddress: 'desk@bank.example' }],
      sharedItems: [{ containerType: 'Project', containerId: projectA.id, documentId: id }],
    },
    'en-us',
  );
  const [sent] = await mailServer.deliver();
  const token = /share\/([\w-]{43})/.exec(sent?.mail.text ?? '')?.[1] ?? '';
  standAt(now() + 2 * DAY);
  await askAgain(token, '192.0.2.9');
  expect((await list(sam, { of: 'mine' })).map(({ kind, name }) => [kind, name])).toEqual([
    ['link-request', 'desk@bank.example'],
  ]);
  await mailServer.discard();
});

test('an invitation that expired waits for whoever sent it, once, until it is sent again', async () => {
  const { invitationId } = await invite(grace, {
    emailAddress: 'nia@new.example',
    firstName: 'Nia',
    lastName: 'New',
    language: 'en-us',
    clientIds: [],
  });
  await announceExpired();
  expect(await kinds(grace)).toEqual([]);
  standAt(now() + 73 * HOUR);
  await announceExpired();
  await announceExpired();
  expect(await list(grace, { of: 'mine' })).toMatchObject([{ kind: 'invitation', name: 'nia@new.example' }]);
  await sendAgain(grace, invitationId);
  expect(await kinds(grace)).toEqual([]);
  await mailServer.discard();
});

test('rows are marked as done and returned, and what comes later is a new row', async () => {
  await uploadAs(ada, projectA, 'a.pdf', 'a');
  await uploadAs(ben, projectB, 'b.pdf', 'b');
  const ids = (await list(sam)).map(({ itemId }) => itemId);
  const { at, count } = await markDone(sam, [...ids, ...ids, 'inbox_unknown']);
  expect([count, await kinds(sam)]).toEqual([2, []]);
  expect(await undoDone(grace, at)).toBe(0);
  expect([await undoDone(sam, at), await kinds(sam)]).toEqual([2, ['documents 1', 'documents 1']]);
  const again = await markDone(sam, ids);
  await uploadAs(ada, projectA, 'c.pdf', 'c');
  expect([await undoDone(sam, again.at), await kinds(sam)]).toEqual([1, ['documents 1', 'documents 1']]);
});

test('mine are the clients someone is responsible for, except what they marked as not theirs', async () => {
  await db()
    .insertInto('staff_clients')
    .values({ contact_id: sam.contactId, client_id: clientA, is_responsible: 1, mac: '' })
    .execute();
  await uploadAs(ben, projectB, 'older.pdf', 'older');
  standAt(now() + HOUR);
  await uploadAs(ada, projectA, 'newer.pdf', 'newer');
  expect(await inboxCounts(sam)).toEqual({ mine: 1, all: 2 });
  const [mine] = await list(sam, {});
  expect(mine?.clientId).toBe(clientA);
  expect((await list(sam)).map(({ clientId }) => clientId)).toEqual([clientB, clientA]);
  const { at } = await markNotMine(sam, [mine?.itemId ?? '']);
  expect(await inboxCounts(sam)).toEqual({ mine: 0, all: 2 });
  expect(await undoNotMine(grace, at)).toBe(0);
  expect(await undoNotMine(sam, at - 1)).toBe(0);
  expect(await undoNotMine(sam, at)).toBe(1);
  expect(await inboxCounts(sam)).toEqual({ mine: 1, all: 2 });
  expect(await unreadFor(sam)).toBe(1);
  await setRead(sam, [mine?.itemId ?? ''], true);
  expect(await unreadFor(sam)).toBeUndefined();
});

test('a row is unread for each member of staff until they open it, and again when something is added', async () => {
  const { id } = await uploadAs(ada, projectA, 'first.pdf', '1');
  await uploadAs(ada, projectA, 'second.pdf', '2');
  const unread = async (actor: Actor) => (await list(actor)).map(({ isUnread }) => isUnread);
  const [item] = await list(sam);
  const itemId = item?.itemId ?? '';
  expect([await unread(sam), await unreadFor(sam)]).toEqual([[true], 1]);
  expect(await openItem(sam, itemId)).toMatchObject({ kind: 'documents', key: projectA.id });
  expect([await unread(sam), await unreadFor(sam)]).toEqual([[false], undefined]);
  expect([await unread(grace), await unreadFor(grace)]).toEqual([[true], 1]);
  standAt(now() + HOUR);
  await openDocument(grace, place, id, true);
  expect(await unread(sam), 'what someone else handled is nothing new').toEqual([false]);
  await uploadAs(ada, projectA, 'third.pdf', '3');
  expect(await unread(sam)).toEqual([true]);
  standAt(now() + HOUR);
  expect(await setRead(sam, [itemId], true)).toBe(1);
  expect(await unread(sam)).toEqual([false]);
  await setRead(sam, [itemId], false);
  expect(await unread(sam)).toEqual([true]);
});

test('nobody sees or marks rows of other firms or of clients that are not assigned to them', async () => {
  const nora = await person(firmOne, 'Nora Narrow', 'nora@one.example', {
    role: 'member',
    hasAllClients: false,
  });
  await uploadAs(ada, projectA, 'own.pdf', 'own');
  await uploadAs(zoe, projectTwo, 'theirs.pdf', 'theirs');
  const [item] = await list(sam);
  const ids = [item?.itemId ?? ''];
  expect((await list(tom)).map(({ name }) => name)).toEqual(['theirs.pdf']);
  expect(await list(nora)).toEqual([]);
  for (const other of [tom, nora]) {
    expect((await markDone(other, ids)).count).toBe(0);
    expect((await markNotMine(other, ids)).count).toBe(0);
    expect(await setRead(other, ids, true)).toBe(0);
    await expect(openItem(other, item?.itemId ?? '')).rejects.toEqual(refused('NOT_FOUND'));
  }
  expect(await kinds(sam)).toEqual(['documents 1']);
  await expect(inboxCounts(ada)).rejects.toEqual(refused('FORBIDDEN'));
  await expect(markDone(ada, ids)).rejects.toEqual(refused('FORBIDDEN'));
  await expect(openItem(ada, item?.itemId ?? '')).rejects.toEqual(refused('FORBIDDEN'));
  expect(await unreadFor(ada)).toBeUndefined();
});

test('rows that are done are deleted after a month, open ones stay', async () => {
  await uploadAs(ada, projectA, 'done.pdf', 'd');
  await markDone(
    sam,
    (await list(sam)).map(({ itemId }) => itemId),
  );
  await uploadAs(ben, projectB, 'open.pdf', 'o');
  standAt(now() + 31 * DAY);
  await sweepInbox();
  const rows = await db().selectFrom('inbox_items').select('done_at').execute();
  expect(rows).toEqual([{ done_at: null }]);
});

test('an access review waits for those who may review, again a week before it is due, and leaves when it is finished', async () => {
  const reviewId = await startReview(grace);
  const [item] = await list(grace, { of: 'mine' });
  expect(item).toMatchObject({ kind: 'access-review', key: reviewId, isUnread: true });
  expect(nextStep(item as InboxItem, (page = '') => page)).toBe(`staff/access-review/${reviewId}`);
  expect(await kinds(sam), 'who may not review').toEqual([]);
  await expect(openItem(sam, item?.itemId ?? '')).rejects.toEqual(refused('NOT_FOUND'));

  await markDone(grace, [item?.itemId ?? '']);
  await sweepReviews();
  expect(await kinds(grace)).toEqual([]);
  standAt(now() + (REVIEW_DAYS - 5) * DAY);
  await sweepReviews();
  await sweepReviews();
  expect(await kinds(grace)).toEqual(['access-review 1']);
  await markDone(grace, [(await list(grace))[0]?.itemId ?? '']);
  await sweepReviews();
  expect(await kinds(grace), 'marked as done, it does not come back').toEqual([]);

  await db().deleteFrom('inbox_items').execute();
  await sweepReviews();
  expect(await kinds(grace)).toEqual(['access-review 1']);
  const { items } = await listItems(grace, reviewId);
  await decide(
    sessionAs(grace),
    reviewId,
    items.map(({ number }) => number),
    'confirmed',
  );
  expect(await kinds(grace)).toEqual([]);
});
