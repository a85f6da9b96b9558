import { afterAll, beforeEach, expect, test } from 'vitest';
import { actorOf, decideAccess } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import {
  addClientMessage,
  listClientMessages,
  withdrawClientMessage,
} from '#features/clients/client-messages/messages.server.ts';
import {
  markMessagesRead,
  readersOfNewest,
  unreadByClient,
  unreadWith,
} from '#features/clients/client-messages/reading.server.ts';
import { archiveClients, restoreClients } from '#features/clients/clients/archiving.server.ts';
import { inboxCounts, listInbox } from '#features/office/inbox/inbox.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { db } from '#platform/database/database.server.ts';
import { verify } from '#platform/database/verification.server.ts';
import { at, HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { apiAs, impersonating, seen } from '../../support/api.ts';
import { everyRow, makeCast, person, startMailServer, unlink } from '../../support/cast.ts';
import { exportOf, tableIn } from '../../support/exported.ts';
import { withPages } from '../../support/mail-links.ts';
import '../../../src/app.server.ts';

/*
 * The conversation between firm and client without a task (threat-model.md T01, T02): who sees it, and that notes of the
 * firm never reach a client.
 */

const { ada, ben, cleo, sam, zoe, clientA, firmOne } = await makeCast();
const camille = await person(firmOne, 'Camille Roy', 'camille@one.example', { language: 'fr-CA' });
await db()
  .insertInto('client_contacts')
  .values({ client_id: clientA, contact_id: camille.contactId })
  .execute();
const reader = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });
const owner = await person(firmOne, 'Oona Owner', 'oona@one.example', { role: 'owner' });
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
beforeEach(async () => {
  for (const table of [
    'limits',
    'client_messages',
    'client_message_reads',
    'inbox_items',
    'notices',
  ] as const)
    await db().deleteFrom(table).execute();
  await mailServer.deliver();
});

const path = (clientId = clientA) => `/api/client-center/v1/clients/${clientId}/messages`;
const say = (actor: Actor, text = 'Fine?', isInternal = false) =>
  apiAs(actor)('POST', path(), { json: { text, ...(isInternal && { isInternal }) } });
const list = (actor: Actor) => listClientMessages(actor, clientA, { from: 0 });
const textsFor = async (actor: Actor) => (await list(actor)).items.map(({ text }) => text);
const refused = (code: string): unknown => expect.objectContaining({ code });
const inbox = async (actor: Actor) =>
  (await listInbox(actor, inboxQuery.parse({ of: 'all' }))).items.filter(
    ({ kind }) => kind === 'client-message',
  );
const unread = async (actor: Actor) => (await unreadWith(actor, clientA)).size;

test('contacts and staff write to each other, and everybody of the client reads the messages, oldest first', async () => {
  await at(now() - 2 * MINUTE, () => say(ada, '  We hired a baker.\r\nFrom Monday.\u0007 '));
  await at(now() - MINUTE, () => say(sam, 'Her W-4, please.'));
  const response = await apiAs(cleo)('GET', path());
  const { data } = (await response.json()) as { data: Awaited<ReturnType<typeof list>> };
  expect(
    data.items.map(({ text, createdBy, role, isInternal, permissions }) => [
      text,
      createdBy,
      role,
      isInternal,
      permissions.delete,
    ]),
  ).toEqual([
    ['We hired a baker.\nFrom Monday.', 'Ada Amber', 'Client', false, false],
    ['Her W-4, please.', 'Sam Staff', 'Firm', false, false],
  ]);
});

test('calls about the messages of another client answer as if it did not exist', async () => {
  const { id } = await addClientMessage(ada, clientA, { text: 'Private' });
  for (const stranger of [ben, zoe]) {
    const call = apiAs(stranger);
    for (const [real, made] of [
      [
        await call('POST', path(), { json: { text: 'x' } }),
        await call('POST', path('client_none'), { json: { text: 'x' } }),
      ],
      [await call('GET', path()), await call('GET', path('client_none'))],
      [
        await call('DELETE', `${path()}/${id}`),
        await call('DELETE', `${path('client_none')}/clientmessage_1`),
      ],
    ] as const)
      expect(await seen(real)).toEqual(await seen(made));
    await expect(markMessagesRead(stranger, clientA)).rejects.toEqual(refused('NOT_FOUND'));
    expect([await unread(stranger), await unreadByClient(stranger, 5)]).toEqual([0, []]);
  }
  expect(await textsFor(ada)).toEqual(['Private']);
});

test('whoever loses the client, or is kept from messages, can no longer read or write them', async () => {
  const dora = await person(firmOne, 'Dora Dill', 'dora@one.example');
  await db()
    .insertInto('client_contacts')
    .values({ client_id: clientA, contact_id: dora.contactId })
    .execute();
  await say(sam);
  expect([(await say(dora)).status, await unread(dora)]).toEqual([200, 1]);
  await decideAccess(firmOne, dora.contactId, { kind: 'control', name: 'HideMessages' }, true);
  const kept = await actorOf(dora.contactId);
  expect([(await say(kept)).status, (await apiAs(kept)('GET', path())).status]).toEqual([403, 403]);
  await expect(addClientMessage(kept, clientA, { text: 'x' })).rejects.toEqual(refused('FORBIDDEN'));
  await unlink(clientA, dora);
  expect([(await say(await actorOf(dora.contactId))).status, await unread(dora)]).toEqual([403, 0]);
  await expect(addClientMessage(dora, clientA, { text: 'x' })).rejects.toEqual(refused('NOT_FOUND'));
});

test('nothing can be written to an archived client, whose messages the firm still reads', async () => {
  await say(ada, 'Before');
  await archiveClients(owner, [clientA]);
  expect([(await say(ada)).status, (await say(sam)).status]).toEqual([404, 409]);
  expect(await textsFor(sam)).toEqual(['Before']);
  await restoreClients(owner, [clientA]);
  expect((await say(ada)).status).toBe(200);
});

test('a note of the firm reaches no contact: not by list, count, mail or mark, nor staff who view as one', async () => {
  const note = await addClientMessage(sam, clientA, { text: 'SECRET-NOTE', isInternal: true });
  expect(await mailServer.deliver()).toEqual([]);
  await addClientMessage(sam, clientA, { text: 'Please call us.' });
  for (const contact of [ada, cleo]) {
    const text = await (await apiAs(contact)('GET', path())).text();
    expect(text).not.toContain('SECRET-NOTE');
    expect(text).toContain('"total":1');
    expect(await unread(contact)).toBe(1);
  }
  const viewing = impersonating(ada, sam);
  const call = apiAs(viewing.actor, viewing);
  expect(await (await call('GET', path())).text()).not.toContain('SECRET-NOTE');
  expect((await call('POST', path(), { json: { text: 'As Ada' } })).status).toBe(403);
  await markMessagesRead(viewing.actor, clientA);
  expect(await unread(ada)).toBe(1);
  expect(await textsFor(sam)).toEqual(['SECRET-NOTE', 'Please call us.']);
  expect((await say(ada, 'Mine', true)).status).toBe(403);
  expect((await apiAs(ada)('DELETE', `${path()}/${note.id}`)).status).toBe(404);
  const inExport = async (clientId: string | null, file: string) =>
    tableIn(await exportOf(sam, clientId), file).map((row) => row['Text']);
  expect(await inExport(clientA, 'client-messages.csv')).toEqual(['Please call us.']);
  expect(await inExport(null, 'clients/Amber Bakery/client-messages.csv')).toHaveLength(2);
});

test('only the author withdraws a message, for 15 minutes; its place stays, its text is gone', async () => {
  const { id } = await addClientMessage(ada, clientA, { text: 'WRONG' });
  for (const actor of [cleo, sam])
    await expect(withdrawClientMessage(actor, clientA, id)).rejects.toEqual(refused('NOT_FOUND'));
  await expect(at(now() + 16 * MINUTE, () => withdrawClientMessage(ada, clientA, id))).rejects.toEqual(
    refused('FORBIDDEN'),
  );
  await at(now() + 14 * MINUTE, () => withdrawClientMessage(ada, clientA, id));
  expect((await list(sam)).items).toEqual([
    expect.objectContaining({ id, text: '', isDeleted: true, permissions: { delete: false } }),
  ]);
  await expect(withdrawClientMessage(ada, clientA, id)).rejects.toEqual(refused('NOT_FOUND'));
  expect([await unread(cleo), await inbox(sam)]).toEqual([0, []]);
  expect((await verify(false)).faults).toEqual([]);
});

test('messages of others are new to each person until they open the page, and the firm sees who has read its newest', async () => {
  await say(sam, 'One');
  await say(ada, 'Two');
  expect([await unread(ada), await unread(cleo), await unread(sam)]).toEqual([1, 2, 1]);
  expect(await unreadByClient(cleo, 5)).toEqual([expect.objectContaining({ clientId: clientA, count: 2 })]);
  await markMessagesRead(ada, clientA);
  await say(sam, 'Three');
  expect([await unread(ada), await unread(cleo), await readersOfNewest(sam, clientA)]).toEqual([1, 3, []]);
  await markMessagesRead(ada, clientA);
  expect((await readersOfNewest(sam, clientA)).map(({ name }) => name)).toEqual(['Ada Amber']);
  await say(cleo, 'Four');
  expect(await readersOfNewest(sam, clientA)).toEqual([]);
});

test('a message of a client waits in the inbox until the firm answers or reads it', async () => {
  const before = await inboxCounts(sam);
  await say(ada, 'One');
  await say(cleo, 'Two');
  expect((await inbox(sam)).map(({ key, count }) => [key, count])).toEqual([[clientA, 2]]);
  expect((await inboxCounts(sam)).all).toBe(before.all + 1);
  await addClientMessage(sam, clientA, { text: 'Who is it?', isInternal: true });
  expect(await inbox(sam)).toHaveLength(1);
  await say(sam, 'Thanks.');
  expect(await inbox(sam)).toEqual([]);
  await say(ada, 'And?');
  await markMessagesRead(reader, clientA);
  expect(await inbox(sam)).toHaveLength(1);
  await markMessagesRead(sam, clientA);
  expect(await inbox(sam)).toEqual([]);
});

test('the other side is told by email at most once an hour, in its languages and without the text, unless it has read it', async () => {
  const day = now() + 100 * HOUR;
  await at(day, () => say(sam, 'SECRET-WORDS'));
  const mails = await at(day, () => mailServer.deliver());
  expect(mails.map(({ recipients, mail }) => [recipients[0], mail.subject]).toSorted()).toEqual([
    ['ada@one.example', 'New messages from Maple & Hart'],
    ['camille@one.example', 'Nouveaux messages de Maple & Hart'],
    ['cleo@one.example', 'New messages from Maple & Hart'],
  ]);
  for (const { raw, mail } of mails) {
    expect(raw).not.toContain('SECRET-WORDS');
    expect(await withPages(mail.text)).toContain(`/messages?firm=${sam.companyId}&client=${clientA}`);
  }
  const told = async (instant: number) =>
    (await at(instant, () => mailServer.deliver())).map(({ recipients }) => recipients[0]).toSorted();
  await at(day + MINUTE, () => say(ada));
  await at(day + 2 * MINUTE, () => say(sam));
  await at(day + 3 * MINUTE, () => markMessagesRead(cleo, clientA));
  expect(await told(day + 4 * MINUTE)).toEqual(['oona@one.example', 'rita@one.example', 'sam@one.example']);
  expect(await told(day + HOUR)).toEqual(['ada@one.example', 'camille@one.example']);
  expect(await told(day + 3 * HOUR)).toEqual([]);
});

test('messages have a limit of length and of number, and are stored encrypted', async () => {
  expect((await say(ada, ' \n ')).status).toBe(422);
  expect((await say(ada, 'x'.repeat(2001))).status).toBe(422);
  for (let i = 0; i < 60; i += 1) await addClientMessage(ada, clientA, { text: `KEEP-${i}` });
  expect((await say(ada)).status).toBe(429);
  await db().deleteFrom('limits').execute();
  for (let i = 60; i < 101; i += 1) await addClientMessage(ada, clientA, { text: `KEEP-${i}` });
  const second = await listClientMessages(ada, clientA, { from: 100 });
  expect([second.totalPages, second.items.map(({ text }) => text)]).toEqual([2, ['KEEP-100']]);
  expect(JSON.stringify(await everyRow())).not.toContain('KEEP-');
});
