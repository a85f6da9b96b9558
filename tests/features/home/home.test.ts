import { expect, test } from 'vitest';
import { assignClientTo } from '#features/clients/directory/management.server.ts';
import { byUrgency, type Company, type CompanyFact } from '#features/office/home/urgency.server.ts';
import { setReading } from '#features/documents/documents/reading.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { addTaskMessage } from '#features/tasks/task-messages/messages.server.ts';
import { markMessagesRead } from '#features/tasks/task-messages/reading.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { ownTask } from '#features/tasks/tasks/own-questions.server.ts';
import { makeCast, person, uploadAs, unlink } from '../../support/cast.ts';
import { homeFor, rowsOf } from '../../support/home.ts';
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
  ((await rowsOf(actor, 'documents')) ?? []).map(([name, client, date]) =>
    [date === undefined ? '' : `${client}: `, name].join(''),
  );

test('the home page shows unread documents by the firm, of the clients of the contact only', async () => {
  expect(await namesOf(ada)).toEqual(['Tax return.pdf']);
  expect(await namesOf(ben)).toEqual(['Boat licence.pdf']);
  expect(await namesOf(cleo)).toEqual(['Birch Boats: Boat licence.pdf', 'Amber Bakery: Tax return.pdf']);
  await setReading(ada, { documentIds: [forA.id], isRead: true });
  expect(await namesOf(ada), 'what was read is no longer new').toEqual([]);
});

test('the home page of somebody with several companies lists those where something waits, the most urgent first', async () => {
  expect(await rowsOf(cleo, 'companies')).toEqual([
    ['Birch Boats', '1 task, next due Apr 1, 2099', '1 unread document'],
    ['Amber Bakery', '1 task, next due May 1, 2099', '2 unread documents'],
  ]);
  expect(await rowsOf(cleo, 'tasks')).toEqual([
    ['Sooner', 'Birch Boats', 'Due Apr 1, 2099', 'New'],
    ['Later', 'Amber Bakery', 'Due May 1, 2099', 'New'],
  ]);
  expect(await rowsOf(ada, 'companies')).toBeUndefined();
});

test('messages that a contact has not read are listed by task, and at their company', async () => {
  const { taskId } = await ask(clientB, 'Even later', '2099-06-01');
  const messages = async () => [
    await rowsOf(cleo, 'messages'),
    ((await rowsOf(cleo, 'companies')) ?? []).filter((row) => row.some((text) => text.includes('message'))),
  ];
  expect(await messages()).toEqual([undefined, []]);
  await addTaskMessage(sam, taskId, { text: 'Which bank is it?', isInternal: false });
  await addTaskMessage(sam, taskId, { text: 'Ask Ada, too.', isInternal: true });
  expect(await messages()).toMatchObject([
    [['Even later', 'Birch Boats', '1 new message', expect.any(String)]],
    [['Birch Boats', '2 tasks, next due Apr 1, 2099', '1 unread message', '1 unread document']],
  ]);
  await markMessagesRead(cleo, taskId);
  expect(await messages()).toEqual([undefined, []]);
});

test('a company that somebody no longer acts for is gone from their home page', async () => {
  await unlink(clientB, cleo);
  expect(JSON.stringify(await homeFor(cleo))).not.toContain('Birch');
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
  expect(await rowsOf(ada, 'shares')).toEqual([['For the bank', 'bank@lender.example', 'Not opened yet']]);
  expect(await rowsOf(cleo, 'shares')).toBeUndefined();
});

test('the contact person is the member of staff who is responsible for the client', async () => {
  const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
  const contactOf = async (): Promise<unknown> =>
    (await homeFor(ada, 'contact')).beside.map(({ view }) => typeof view === 'object' && view.lines);
  expect(await contactOf()).toEqual([['Maple & Hart']]);
  await assignClientTo(olga, sam.contactId, { clientId: clientA, isResponsible: true });
  expect(await contactOf()).toEqual([['Sam Staff', 'Maple & Hart']]);
});

test('companies are ordered by due date, then tasks without one and messages, then the newest documents', () => {
  const fact: CompanyFact = {
    clientId: '',
    page: 'tasks',
    note: { text: '' },
    isWaiting: false,
    newestAt: 0,
  };
  const company = (name: string, ...facts: Partial<CompanyFact>[]): Company => ({
    clientId: name,
    name,
    facts: facts.map((own) => ({ ...fact, ...own })),
  });
  const sorted = [
    company('old documents', { newestAt: 1 }),
    company('new documents', { newestAt: 2 }),
    company('no date', { isWaiting: true }, { newestAt: 1 }),
    company('a message', { isWaiting: true, newestAt: 2 }),
    company('due later', { isWaiting: true, dueOn: '2027-01-02' }),
    company('overdue', { isWaiting: true, dueOn: '2020-01-02' }, { isWaiting: true, newestAt: 2 }),
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
