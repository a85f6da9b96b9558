import { expect, test } from 'vitest';
import { assignClientTo } from '#features/directory/management.server.ts';
import { byUrgency, type Company } from '#features/home/companies.ts';
import { contactPersonOf, homeOf } from '#features/home/home.server.ts';
import { setReading } from '#features/documents/reading.server.ts';
import type { Actor } from '#features/people/people.ts';
import { shareDocuments } from '#features/sharing/sending.server.ts';
import { addTaskMessage } from '#features/task-messages/messages.server.ts';
import { markMessagesRead } from '#features/task-messages/reading.server.ts';
import { createTask } from '#features/tasks/creating.server.ts';
import { ownTask } from '#features/tasks/own-questions.server.ts';
import { makeCast, person, uploadAs, unlink } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { ada, ben, cleo, sam, firmOne, clientA, clientB, projectA, projectB } = await makeCast();
const forA = await uploadAs(sam, projectA, 'Tax return.pdf', 'a');
await uploadAs(sam, projectB, 'Boat licence.pdf', 'b');
const own = await uploadAs(ada, projectA, 'Bank letter.pdf', 'c');

const ask = (clientId: string, title: string, dueDate: string) =>
  createTask(sam, {
    clientId,
    ...ownTask(
      {
        title,
        message: '',
        taxYear: '',
        dueDate,
        items: [{ label: 'Statements', kind: 'files', isRequired: true }],
      },
      'en-us',
    ),
  });
await ask(clientA, 'Later', '2099-05-01');
await ask(clientB, 'Sooner', '2099-04-01');

const namesOf = async (actor: Actor): Promise<string[]> =>
  (await homeOf(actor, 'en-us')).documents.map(({ document, client }) => `${client}: ${document.name}`);

test('the home page shows unread documents by the firm, of the clients of the contact only', async () => {
  expect(await namesOf(ada)).toEqual(['Amber Bakery: Tax return.pdf']);
  expect(await namesOf(ben)).toEqual(['Birch Boats: Boat licence.pdf']);
  expect(await namesOf(cleo)).toEqual(['Birch Boats: Boat licence.pdf', 'Amber Bakery: Tax return.pdf']);
  await setReading(ada, { documentIds: [forA.id], isRead: true });
  expect(await namesOf(ada), 'what was read is no longer new').toEqual([]);
});

test('the home page of somebody with several companies lists those where something waits, the most urgent first', async () => {
  const { companies, tasks } = await homeOf(cleo, 'en-us');
  expect(companies).toMatchObject([
    { clientId: clientB, name: 'Birch Boats', unread: 1, tasks: 1, dueOn: '2099-04-01' },
    { clientId: clientA, name: 'Amber Bakery', unread: 2, tasks: 1, dueOn: '2099-05-01' },
  ]);
  expect(tasks.map(({ title }) => title)).toEqual(['Sooner', 'Later']);
  expect(await homeOf(ada, 'en-us')).toMatchObject({ hasSeveralClients: false, companies: [] });
});

test('a company with messages that its contact has not read is among those where something waits', async () => {
  const { taskId } = await ask(clientB, 'Even later', '2099-06-01');
  const messages = async () =>
    (await homeOf(cleo, 'en-us')).companies.map(({ name, messages: count }) => [name, count]);
  await addTaskMessage(sam, taskId, { text: 'Which bank is it?', isInternal: false });
  await addTaskMessage(sam, taskId, { text: 'Ask Ada, too.', isInternal: true });
  expect(await messages()).toEqual([
    ['Birch Boats', 1],
    ['Amber Bakery', 0],
  ]);
  await markMessagesRead(cleo, taskId);
  expect(await messages()).toEqual([
    ['Birch Boats', 0],
    ['Amber Bakery', 0],
  ]);
});

test('a company that somebody no longer acts for is gone from their home page', async () => {
  await unlink(clientB, cleo);
  const { companies, documents, tasks } = await homeOf(cleo, 'en-us');
  expect(JSON.stringify([companies, documents, tasks])).not.toContain('Birch');
});

test('the home page shows what the contact shared, and nothing of others', async () => {
  await shareDocuments(
    ada,
    {
      sharedItems: [{ containerType: 'Project', containerId: projectA.id, documentId: own.id }],
      recipients: [{ emailAddress: 'bank@lender.example' }],
      overrides: { subject: 'For the bank' },
      expirationPeriod: 'AfterOneDay',
    },
    'en-us',
  );
  expect((await homeOf(ada, 'en-us')).shares).toMatchObject([
    { subject: 'For the bank', recipients: [{ emailAddress: 'bank@lender.example', opens: 0 }] },
  ]);
  expect((await homeOf(cleo, 'en-us')).shares).toEqual([]);
});

test('the contact person is the member of staff who is responsible for the client', async () => {
  const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
  expect(await contactPersonOf(clientA)).toBeUndefined();
  await assignClientTo(olga, sam.contactId, { clientId: clientA, isResponsible: true });
  expect(await contactPersonOf(clientA)).toBe('Sam Staff');
});

test('companies are ordered by due date, then tasks without one and messages, then the newest documents', () => {
  const company = (name: string, of: Partial<Company>): Company => ({
    clientId: name,
    name,
    unread: 0,
    messages: 0,
    newestAt: 0,
    tasks: 0,
    dueOn: null,
    ...of,
  });
  const sorted = [
    company('old documents', { unread: 9, newestAt: 1 }),
    company('new documents', { unread: 1, newestAt: 2 }),
    company('no date', { tasks: 1, newestAt: 1 }),
    company('a message', { messages: 1, newestAt: 2 }),
    company('due later', { tasks: 1, dueOn: '2027-01-02' }),
    company('overdue', { tasks: 1, dueOn: '2020-01-02' }),
  ].toSorted(byUrgency);
  expect(sorted.map(({ name }) => name)).toEqual([
    'overdue',
    'due later',
    'a message',
    'no date',
    'new documents',
    'old documents',
  ]);
});
