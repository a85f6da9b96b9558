import '../../../src/app.server.ts';
import { expect, test } from 'vitest';
import { stepsOf } from '../../support/statements.ts';
import { figuresFor } from '#features/office/overview/figures.server.ts';
import { tablesFor } from '#features/office/overview/tables.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { assignTask } from '#features/tasks/tasks/assigning.server.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { localsOf } from '../../support/home.ts';
import { storeManyClients } from '../../support/many-clients.ts';
import { storeWaiting } from '../../support/many-waiting.ts';

/*
 * What the engine reads for the overview of a firm with few and with many tasks and inbox rows. Steps of its machine are
 * counted, not time: the same on every machine.
 */

const { sam, firmOne, clientA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const clients = await storeManyClients(
  firmOne,
  Array.from({ length: 1000 }, (_, i) => ({
    name: `Bakery ${i}`,
    code: `B-${i}`,
    kind: 'business' as const,
    tags: [],
    responsible: sam.contactId,
  })),
);
const { taskId } = await createTask(sam, { clientId: clientA, type: 'misc', label: 'Hours' });
await assignTask(sam, taskId, sam.contactId);
const model = await db()
  .selectFrom('tasks')
  .selectAll()
  .where('task_id', '=', taskId)
  .executeTakeFirstOrThrow();

const WEEK = 7 * 86_400_000;

/** Copies of the task: one in two is done, the others are late or wait, each for another client. */
async function storeTasks({ from, until }: { from: number; until: number }): Promise<void> {
  const rows = Array.from({ length: until - from }, (_, n) => {
    const i = from + n;
    const isDone = i % 2 === 0;
    return {
      ...model,
      task_id: `task_${String(i).padStart(8, '0')}`,
      client_id: clients[i % clients.length] ?? clientA,
      status: isDone ? ('Done' as const) : i % 4 === 1 ? ('WIP' as const) : ('Received' as const),
      due_on: i % 3 === 0 ? null : i % 3 === 1 ? '2020-01-31' : '2090-01-31',
      responsible: i % 5 === 0 ? null : i % 5 === 1 ? olga.contactId : sam.contactId,
      created_at: now() - (i % 12) * WEEK,
      submitted_at: i % 4 === 1 ? null : now() - (i % 12) * WEEK,
    };
  });
  for (const batch of inBatches(rows))
    await inTransaction(() => db().insertInto('tasks').values(batch).execute());
}

// with every fourth client, through which her numbers are read
const alma = await person(firmOne, 'Alma Assigned', 'alma@one.example', {
  role: 'manager',
  hasAllClients: false,
});
for (const batch of inBatches(clients.filter((_, i) => i % 4 === 0)))
  await db()
    .insertInto('staff_clients')
    .values(
      batch.map((client_id) => ({
        client_id,
        contact_id: alma.contactId,
        is_responsible: 0 as const,
        mac: '',
      })),
    )
    .execute();

const figures = () => figuresFor(localsOf(olga));
const tables = () => tablesFor(localsOf(olga));

test('the overview reads no more with 90,000 tasks and 20,000 inbox rows than with a third of them', async () => {
  // as many as are counted of each number
  await storeTasks({ from: 0, until: 30_000 });
  await storeWaiting(firmOne, clients, { from: 0, until: 6000 });
  const before = {
    figures: await stepsOf(figures),
    tables: await stepsOf(tables),
    ofAssigned: await stepsOf(() => tablesFor(localsOf(alma))),
    figuresOfAssigned: await stepsOf(() => figuresFor(localsOf(alma))),
  };
  await storeTasks({ from: 30_000, until: 90_000 });
  await storeWaiting(firmOne, clients, { from: 6000, until: 20_000 });
  const after = {
    figures: await stepsOf(figures),
    tables: await stepsOf(tables),
    ofAssigned: await stepsOf(() => tablesFor(localsOf(alma))),
    figuresOfAssigned: await stepsOf(() => figuresFor(localsOf(alma))),
  };
  console.info('Overview, steps:', JSON.stringify({ before, after }));
  expect(after.figures).toBeLessThanOrEqual(before.figures * 1.2);
  expect(after.tables).toBeLessThanOrEqual(before.tables * 1.2);
  // a quarter of the firm's tasks are hers, of which at most 5,000 are read by each of three statements
  expect(after.ofAssigned).toBeLessThanOrEqual(before.ofAssigned * 1.5);
  const numbers = (await figures()).flatMap((group) => group.figures);
  expect(numbers.find(({ id }) => id === 'tasks-overdue')?.count).toMatchObject({ n: 1000, isMore: true });
});
