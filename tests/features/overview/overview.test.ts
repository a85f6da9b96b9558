import { beforeAll, expect, test } from 'vitest';
import { addComment } from '#features/documents/comments/comments.server.ts';
import { mailsGrid } from '#features/clients/mails/mails-grid.server.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import { gridQueryOf, type Grid } from '#features/base/grids/define.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { figuresFor } from '#features/office/overview/figures.server.ts';
import { tablesFor } from '#features/office/overview/tables.server.ts';
import { tasksGrid } from '#features/tasks/task-lists/tasks-grid.server.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { assignTask } from '#features/tasks/tasks/assigning.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { DAY, moveClock, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { queryOf } from '#platform/forms/lists.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { makeCast, person, uploadAs } from '../../support/cast.ts';
import { localsOf } from '../../support/home.ts';
import '../../../src/app.server.ts';

const { ada, ben, sam, firmOne, clientA, clientB, projectA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const nora = await person(firmOne, 'Nora Narrow', 'nora@one.example', {
  role: 'manager',
  hasAllClients: false,
});
await db()
  .insertInto('staff_clients')
  .values({ contact_id: nora.contactId, client_id: clientA, is_responsible: 0, mac: '' })
  .execute();

const ask = async (clientId: string, label: string, days: number): Promise<string> => {
  const dueDate = dayOf(now() + days * DAY, 'UTC');
  return (await createTask(sam, { clientId, type: 'misc', label, dueDate })).taskId;
};

beforeAll(async () => {
  await ask(clientA, 'Payroll hours', 1);
  await ask(clientB, 'Bank statements', 1);
  const submitted = await ask(clientA, 'Receipts', 9);
  await performAction(ada, submitted, 'submit');
  const returned = await ask(clientB, 'Invoices', 9);
  await performAction(ben, returned, 'submit');
  await performAction(sam, returned, 'return', { reason: 'Page two is missing.' });
  const late = await ask(clientA, 'Contracts', 1);
  await assignTask(sam, late, sam.contactId);
  const document = await uploadAs(ada, projectA, 'lease.pdf', 'lease');
  await addComment(ada, { documentId: document.id, text: 'Which page?' });
  moveClock(3 * DAY);
});

const figuresOf = async (actor: Actor) =>
  (await figuresFor(localsOf(actor))).flatMap(({ group, figures }) =>
    figures.map((figure) => ({ group, ...figure })),
  );

/** How many rows the list at this address has. */
async function listedAt(actor: Actor, href: string): Promise<number> {
  const { pathname, searchParams } = new URL(href, 'https://portal.example');
  const listed = async <Row>(grid: Grid<Row>): Promise<number> => {
    const query = gridQueryOf(grid, queryOf({ schema: grid.parameters }, searchParams));
    return (await readGrid(grid, actor, query, 200)).rows.length;
  };
  if (pathname.endsWith('/staff/tasks')) return listed(tasksGrid);
  if (pathname.endsWith('/staff/mails')) return listed(mailsGrid);
  if (pathname.endsWith('/staff/inbox'))
    return (await listInbox(actor, inboxQuery.parse(Object.fromEntries(searchParams)))).items.length;
  throw new Error(`No list is known at ${href}.`);
}

test('each figure is the number of rows of the list to which it leads, for everyone who sees it', async () => {
  for (const actor of [olga, nora]) {
    const figures = await figuresOf(actor);
    expect(figures.length).toBeGreaterThan(12);
    for (const { id, href, count } of figures)
      expect(count, `${id} of ${actor.fullName}`).toMatchObject({
        n: await listedAt(actor, href),
        isMore: false,
      });
  }
});

test('figures count what is late and what waits, of assigned clients only', async () => {
  const numbersOf = async (actor: Actor) =>
    Object.fromEntries((await figuresOf(actor)).map(({ id, count }) => [id, count?.n]));
  expect(await numbersOf(olga)).toMatchObject({
    'tasks-overdue': 3,
    'tasks-clients': 4,
    'tasks-returned': 1,
    'tasks-waiting': 1,
    comments: 1,
    mails: 0,
  });
  expect(await numbersOf(nora)).toMatchObject({
    'tasks-overdue': 2,
    'tasks-clients': 2,
    'tasks-returned': 0,
    'tasks-waiting': 1,
    comments: 1,
  });
});

test('what waits for the firm says since when', async () => {
  const figures = await figuresOf(olga);
  const sinceOf = (id: string) => figures.find((figure) => figure.id === id)?.count?.since;
  expect(sinceOf('tasks-waiting')).toBeLessThan(now() - 2 * DAY);
  expect(sinceOf('comments')).toBeLessThan(now() - 2 * DAY);
  expect(sinceOf('tasks-clients')).toBeUndefined();
});

test('the overview is for those who manage clients', async () => {
  expect(localsOf(olga).mayOpen('staff/overview')).toBe(true);
  expect(localsOf(nora).mayOpen('staff/overview')).toBe(true);
  for (const actor of [sam, ada]) expect(localsOf(actor).mayOpen('staff/overview')).toBe(false);
});

const tableOf = async (actor: Actor, id: string) =>
  (await tablesFor(localsOf(actor))).find((table) => table.id === id)?.view;

test('each person who is responsible is listed with numbers that their list has, and so is nobody', async () => {
  const rows = (await tableOf(olga, 'people'))?.rows ?? [];
  expect(rows.map(({ title, cells }) => [title, ...cells.map(({ n }) => n)])).toEqual([
    ['No one', 2, 3, 1],
    ['Sam Staff', 1, 1, 0],
  ]);
  for (const { cells } of rows)
    for (const { n, href = '' } of cells) expect(await listedAt(olga, href), href).toBe(n);
  expect((await tableOf(nora, 'people'))?.rows.map(({ title, cells }) => [title, cells[0]?.n])).toEqual([
    ['Sam Staff', 1],
    ['No one', 1],
  ]);
});

test('tasks are counted by the week in which they were asked for and submitted', async () => {
  const rows = (await tableOf(olga, 'weeks'))?.rows ?? [];
  expect(rows).toHaveLength(12);
  const sumOf = (column: number) => rows.reduce((sum, { cells }) => sum + (cells[column]?.n ?? 0), 0);
  expect([sumOf(0), sumOf(1)]).toEqual([5, 2]);
  expect((await tableOf(nora, 'weeks'))?.rows.reduce((sum, { cells }) => sum + (cells[0]?.n ?? 0), 0)).toBe(
    3,
  );
});
