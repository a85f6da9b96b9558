import { afterAll, beforeEach, expect, test } from 'vitest';
import { decideAccess, actorOf } from '#features/base/people/people.server.ts';
import { inboxCounts, listInbox, markDone } from '#features/office/inbox/inbox.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import {
  addTaskMessage,
  listTaskMessages,
  withdrawTaskMessage,
} from '#features/tasks/task-messages/messages.server.ts';
import { markMessagesRead, unreadByTask, unreadIn } from '#features/tasks/task-messages/reading.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { deleteTask } from '#features/tasks/tasks/removing.server.ts';
import { HOUR, MINUTE, at, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { verify } from '#platform/database/verification.server.ts';
import { apiAs, impersonating, seen } from '../../support/api.ts';
import { everyRow, makeCast, person, startMailServer, unlink } from '../../support/cast.ts';
import { exportOf, tableIn } from '../../support/exported.ts';
import { withPages } from '../../support/mail-links.ts';
import '../../../src/app.server.ts';

/*
 * The conversation between firm and client on a task (threat-model.md T01, T02): who sees it, and that notes of the
 * firm never reach a client.
 */

const { ada, ben, cleo, sam, zoe, clientA, firmOne } = await makeCast();
const camille = await person(firmOne, 'Camille Roy', 'camille@one.example', { language: 'fr-CA' });
await db()
  .insertInto('client_contacts')
  .values({ client_id: clientA, contact_id: camille.contactId })
  .execute();
const reader = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
beforeEach(async () => {
  await db().deleteFrom('limits').execute();
});

let counter = 0;
const newTask = async (): Promise<string> =>
  (
    await createTask(sam, {
      clientId: clientA,
      type: 'misc',
      label: `Papers ${(counter += 1)}`,
      steps: [{ required: false }],
    })
  ).taskId;

const pathOf = (taskId: string) => `/api/client-center/v3/tasks/${taskId}/messages`;
const say = (actor: Actor, taskId: string, text = 'Fine?', isInternal = false) =>
  apiAs(actor)('POST', pathOf(taskId), { json: { text, ...(isInternal && { isInternal }) } });
const list = (actor: Actor, taskId: string) => listTaskMessages(actor, taskId, { from: 0 });
const textsFor = async (actor: Actor, taskId: string) =>
  (await list(actor, taskId)).items.map(({ text }) => text);
const refused = (code: string): unknown => expect.objectContaining({ code });
const inbox = async (actor: Actor) =>
  (await listInbox(actor, inboxQuery.parse({ of: 'all' }))).items.filter(
    ({ kind }) => kind === 'task-message',
  );
const unread = async (actor: Actor, taskId: string) => (await unreadByTask(actor, [taskId])).get(taskId) ?? 0;

test('contacts and staff write about a task, and everybody who sees it reads the messages, oldest first', async () => {
  const taskId = await newTask();
  await at(now() - 2 * MINUTE, () => say(ada, taskId, '  Is one page enough?\r\nPage 2, I mean.\u0007 '));
  await at(now() - MINUTE, () => say(sam, taskId, 'Yes.'));
  const response = await apiAs(cleo)('GET', pathOf(taskId));
  const { data } = (await response.json()) as { data: Awaited<ReturnType<typeof listTaskMessages>> };
  expect(
    data.items.map(({ text, createdBy, role, isInternal, permissions }) => [
      text,
      createdBy,
      role,
      isInternal,
      permissions.delete,
    ]),
  ).toEqual([
    ['Is one page enough?\nPage 2, I mean.', 'Ada Amber', 'Client', false, false],
    ['Yes.', 'Sam Staff', 'Firm', false, false],
  ]);
  expect(data.total).toBe(2);
});

test('one may still ask about a task that was submitted, accepted or canceled, but not about a deleted one', async () => {
  const taskId = await newTask();
  await performAction(ada, taskId, 'submit');
  expect((await say(ada, taskId)).status).toBe(200);
  await performAction(sam, taskId, 'accept');
  expect((await say(ada, taskId)).status).toBe(200);
  const cancelled = await newTask();
  await performAction(sam, cancelled, 'cancel');
  expect((await say(sam, cancelled)).status).toBe(200);
  await deleteTask(sam, taskId);
  for (const actor of [ada, sam])
    expect([(await say(actor, taskId)).status, (await apiAs(actor)('GET', pathOf(taskId))).status]).toEqual([
      404, 404,
    ]);
  await expect(listTaskMessages(ada, taskId, { from: 0, withDeleted: true })).rejects.toEqual(
    refused('NOT_FOUND'),
  );
  expect((await listTaskMessages(sam, taskId, { from: 0, withDeleted: true })).total).toBe(2);
});

test('calls about messages on a task of somebody else answer as if the task did not exist', async () => {
  const taskId = await newTask();
  const { id } = await addTaskMessage(ada, taskId, { text: 'Private' });
  for (const stranger of [ben, zoe]) {
    const call = apiAs(stranger);
    for (const [real, made] of [
      [await say(stranger, taskId), await say(stranger, 'task_none')],
      [await call('GET', pathOf(taskId)), await call('GET', pathOf('task_none'))],
      [
        await call('DELETE', `${pathOf(taskId)}/${id}`),
        await call('DELETE', `${pathOf('task_none')}/message_1`),
      ],
    ] as const)
      expect(await seen(real)).toEqual(await seen(made));
    await expect(markMessagesRead(stranger, taskId)).rejects.toEqual(refused('NOT_FOUND'));
    expect(await unread(stranger, taskId)).toBe(0);
  }
  expect(await textsFor(ada, taskId)).toEqual(['Private']);
});

test('whoever loses the client can no longer read or write messages', async () => {
  const taskId = await newTask();
  await say(sam, taskId);
  const dora = await person(firmOne, 'Dora Dill', 'dora@one.example');
  await db()
    .insertInto('client_contacts')
    .values({ client_id: clientA, contact_id: dora.contactId })
    .execute();
  expect((await say(dora, taskId)).status).toBe(200);
  await unlink(clientA, dora);
  expect([(await say(dora, taskId)).status, await unread(dora, taskId)]).toEqual([404, 0]);
});

test('a contact from whom tasks of a type are hidden does not see the messages on one', async () => {
  const { taskId } = await createTask(
    sam,
    { clientId: clientA, type: 'esign', label: 'Letter' },
    { isPrepared: true },
  );
  await addTaskMessage(sam, taskId, { text: 'Please sign.' });
  expect(await unread(camille, taskId)).toBe(1);
  await decideAccess(firmOne, camille.contactId, { kind: 'control', name: 'HideEsignTask' }, true);
  const hidden = await actorOf(camille.contactId);
  expect([(await say(hidden, taskId)).status, await unread(hidden, taskId)]).toEqual([404, 0]);
});

test('a note of the firm reaches no contact: not by list, count, mail or mark, nor staff who view as one', async () => {
  const taskId = await newTask();
  await mailServer.deliver();
  const note = await addTaskMessage(sam, taskId, { text: 'SECRET-NOTE', isInternal: true });
  expect(note.isInternal).toBe(true);
  expect((await mailServer.deliver()).map(({ mail }) => mail.subject)).toEqual([]);
  await addTaskMessage(sam, taskId, { text: 'Please add page 2.' });
  for (const contact of [ada, cleo]) {
    const answer = await apiAs(contact)('GET', pathOf(taskId));
    const text = await answer.text();
    expect(text).not.toContain('SECRET-NOTE');
    expect(text).toContain('"total":1');
    expect(await unread(contact, taskId)).toBe(1);
  }
  const viewing = impersonating(ada, sam);
  const viewed = await (await apiAs(viewing.actor, viewing)('GET', pathOf(taskId))).text();
  expect(viewed).not.toContain('SECRET-NOTE');
  expect(await textsFor(sam, taskId)).toEqual(['SECRET-NOTE', 'Please add page 2.']);
  // contacts cannot write one, and cannot name one of staff
  expect((await say(ada, taskId, 'Mine', true)).status).toBe(403);
  expect((await apiAs(ada)('DELETE', `${pathOf(taskId)}/${note.id}`)).status).toBe(404);
  expect(
    await db().selectFrom('audit').select('details').where('action', '=', 'task-message.add-note').execute(),
  ).not.toEqual([]);
});

test('an export of one client leaves out the notes of the firm, one of the whole firm has them', async () => {
  const taskId = await newTask();
  await addTaskMessage(ada, taskId, { text: 'For both' });
  await addTaskMessage(sam, taskId, { text: 'For us', isInternal: true });
  const messagesIn = async (clientId: string | null, path: string) =>
    tableIn(await exportOf(sam, clientId), path)
      .filter((row) => row['Task’s ID'] === taskId)
      .map((row) => [row['Title'], row['Number'], row['Text']]);
  expect(await messagesIn(clientA, 'messages.csv')).toEqual([[`Papers ${counter}`, '1', 'For both']]);
  expect(await messagesIn(null, 'clients/Amber Bakery/messages.csv')).toHaveLength(2);
});

test('only the author withdraws a message, for 15 minutes; its place stays, its text is gone', async () => {
  const taskId = await newTask();
  const { id } = await addTaskMessage(ada, taskId, { text: 'WRONG-TASK' });
  const other = await newTask();
  for (const [actor, task] of [
    [cleo, taskId],
    [sam, taskId],
    [ada, other],
  ] as const)
    await expect(withdrawTaskMessage(actor, task, id)).rejects.toEqual(refused('NOT_FOUND'));
  await expect(at(now() + 16 * MINUTE, () => withdrawTaskMessage(ada, taskId, id))).rejects.toEqual(
    refused('FORBIDDEN'),
  );
  await at(now() + 14 * MINUTE, () => withdrawTaskMessage(ada, taskId, id));
  expect((await list(sam, taskId)).items).toEqual([
    expect.objectContaining({ id, text: '', isDeleted: true, permissions: { delete: false } }),
  ]);
  await expect(withdrawTaskMessage(ada, taskId, id)).rejects.toEqual(refused('NOT_FOUND'));
  expect(await unread(cleo, taskId)).toBe(0);
  expect((await verify(false)).faults).toEqual([]);
});

test('staff who view as a contact neither write nor mark anything as read', async () => {
  const taskId = await newTask();
  await say(sam, taskId);
  const viewing = impersonating(ada, sam);
  const call = apiAs(viewing.actor, viewing);
  expect((await call('POST', pathOf(taskId), { json: { text: 'As Ada' } })).status).toBe(403);
  await markMessagesRead(viewing.actor, taskId);
  expect(await unread(ada, taskId)).toBe(1);
});

test('messages of others are new to each person until they open the task', async () => {
  const taskId = await newTask();
  await say(sam, taskId, 'One');
  await say(ada, taskId, 'Two');
  expect([await unread(ada, taskId), await unread(cleo, taskId), await unread(sam, taskId)]).toEqual([
    1, 2, 1,
  ]);
  await markMessagesRead(ada, taskId);
  expect([await unread(ada, taskId), await unread(cleo, taskId)]).toEqual([0, 2]);
  await say(sam, taskId, 'Three');
  expect(await unread(ada, taskId)).toBe(1);
  const inState = (status: 'New' | 'Cancelled') => unreadIn(ada, { statuses: [status], clientId: clientA });
  const before = [await inState('New'), await inState('Cancelled')];
  await performAction(sam, taskId, 'cancel');
  expect([await inState('New'), await inState('Cancelled')]).toEqual([
    (before[0] ?? 0) - 1,
    (before[1] ?? 0) + 1,
  ]);
});

test('a message of a client waits in the inbox until the firm answers or reads it, or it is marked as done', async () => {
  await db().deleteFrom('inbox_items').execute();
  const taskId = await newTask();
  const before = await inboxCounts(sam);
  await say(ada, taskId, 'One');
  await say(cleo, taskId, 'Two');
  expect((await inbox(sam)).map(({ key, name, count }) => [key, name, count])).toEqual([
    [taskId, `Papers ${counter}`, 2],
  ]);
  expect((await inboxCounts(sam)).all).toBe(before.all + 1);
  await addTaskMessage(sam, taskId, { text: 'Who asked?', isInternal: true });
  expect(await inbox(sam)).toHaveLength(1);
  await say(sam, taskId, 'Two are enough.');
  expect(await inbox(sam)).toEqual([]);
  await say(ada, taskId, 'Thanks');
  await markMessagesRead(ada, taskId);
  await markMessagesRead(reader, taskId);
  expect([await inbox(sam), await unread(reader, taskId)]).toEqual([[expect.anything()], 0]);
  await markMessagesRead(sam, taskId);
  expect(await inbox(sam)).toEqual([]);
  await say(ada, taskId, 'One more');
  await markDone(
    sam,
    (await inbox(sam)).map(({ itemId }) => itemId),
  );
  expect(await inbox(sam)).toEqual([]);
  const { id } = await addTaskMessage(ada, taskId, { text: 'Never mind' });
  await withdrawTaskMessage(ada, taskId, id);
  expect(await inbox(sam)).toEqual([]);
  await say(ada, taskId, 'The last one');
  await deleteTask(sam, taskId);
  expect(await inbox(sam)).toEqual([]);
});

test('the other side is notified by email at most once an hour, in its languages and without the text, unless it has read it', async () => {
  const start = now() + 100 * HOUR;
  const taskId = await at(start, newTask);
  await at(start + HOUR, () => mailServer.deliver());
  const day = start + 2 * HOUR;
  const told = async (instant: number) =>
    (await at(instant, () => mailServer.deliver()))
      .map(({ recipients, mail }) => [recipients[0], mail.subject])
      .toSorted();
  await at(day, () => say(sam, taskId, 'SECRET-WORDS'));
  const mails = await at(day, () => mailServer.deliver());
  expect(mails.map(({ recipients, mail }) => [recipients[0], mail.subject]).toSorted()).toEqual([
    ['ada@one.example', `New messages: Papers ${counter}`],
    ['camille@one.example', `Nouveaux messages\u00A0: Papers ${counter}`],
    ['cleo@one.example', `New messages: Papers ${counter}`],
  ]);
  for (const { raw, mail } of mails) {
    expect(raw).not.toContain('SECRET-WORDS');
    expect(await withPages(mail.text)).toContain(
      `/tasks/clients/${clientA}/task/${taskId}?firm=${sam.companyId}&client=${clientA}`,
    );
  }
  await at(day + MINUTE, () => say(ada, taskId));
  await at(day + 2 * MINUTE, () => say(sam, taskId));
  await at(day + 3 * MINUTE, () => say(sam, taskId));
  await at(day + 3 * MINUTE, () => markMessagesRead(cleo, taskId));
  expect((await told(day + 4 * MINUTE)).map(([to]) => to)).toEqual(['rita@one.example', 'sam@one.example']);
  expect(await told(day + 59 * MINUTE)).toEqual([]);
  expect((await told(day + HOUR)).map(([to]) => to)).toEqual(['ada@one.example', 'camille@one.example']);
  expect(await told(day + 3 * HOUR)).toEqual([]);
});

test('nobody is notified of a message that is withdrawn in time', async () => {
  const start = now() + 200 * HOUR;
  const taskId = await at(start, newTask);
  await at(start + HOUR, () => mailServer.deliver());
  await at(start + 2 * HOUR, async () => {
    const { id } = await addTaskMessage(ada, taskId, { text: 'Oops' });
    await withdrawTaskMessage(ada, taskId, id);
    expect(await mailServer.deliver()).toEqual([]);
  });
});

test('messages have a limit of length and of number', async () => {
  const taskId = await newTask();
  expect((await say(ada, taskId, ' \n ')).status).toBe(422);
  expect((await say(ada, taskId, 'x'.repeat(2001))).status).toBe(422);
  for (let i = 0; i < 60; i += 1) await addTaskMessage(ada, taskId, { text: `${i}` });
  expect((await say(ada, taskId)).status).toBe(429);
  await db().deleteFrom('limits').execute();
  for (let i = 60; i < 101; i += 1) await addTaskMessage(ada, taskId, { text: `${i}` });
  const second = await listTaskMessages(ada, taskId, { from: 100 });
  expect([second.totalPages, second.pageIndex, second.items.map(({ text }) => text)]).toEqual([
    2,
    1,
    ['100'],
  ]);
});

test('messages are stored encrypted, and removed with a task that is removed for good', async () => {
  const taskId = await newTask();
  await say(ada, taskId, 'KEEP-THIS-TO-YOU');
  await markMessagesRead(sam, taskId);
  expect(JSON.stringify(await everyRow())).not.toContain('KEEP-THIS-TO-YOU');
  await deleteTask(sam, taskId, { isFinal: true });
  for (const table of ['task_messages', 'task_reads'] as const)
    expect(await db().selectFrom(table).selectAll().where('task_id', '=', taskId).execute()).toEqual([]);
});
