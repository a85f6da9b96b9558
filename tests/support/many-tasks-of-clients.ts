import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { assignTask } from '#features/tasks/tasks/assigning.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { makeCast, person } from './cast.ts';
import { storeManyClients } from './many-clients.ts';
import { storeWaiting } from './many-waiting.ts';

/*
 * A firm with a thousand clients and as many tasks and inbox rows as a test asks for, its owner, and two managers with a
 * quarter of the clients each.
 */

const { sam, firmOne, clientA } = await makeCast();
export const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
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
export async function storeTasks({ from, until }: { from: number; until: number }): Promise<void> {
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

/** A manager with some of the clients, through which their numbers are read. */
async function manager(name: string, isAssigned: (client: number) => boolean): Promise<Actor> {
  const { contactId } = await person(firmOne, name, `${name.toLowerCase()}@one.example`, {
    role: 'manager',
    hasAllClients: false,
  });
  for (const batch of inBatches(clients.filter((_, i) => isAssigned(i))))
    await db()
      .insertInto('staff_clients')
      .values(
        batch.map((client_id) => ({ client_id, contact_id: contactId, is_responsible: 0 as const, mac: '' })),
      )
      .execute();
  return actorOf(contactId);
}
// of the clients of each a quarter of the firm's: of all sorts, and those whose tasks are all done
export const alma = await manager('Alma', (i) => Math.floor(i / 4) % 4 === 0);
export const dora = await manager('Dora', (i) => i % 4 === 0);

/** Rows of the firm's inbox. */
export const storeInbox = (range: { from: number; until: number }): Promise<void> =>
  storeWaiting(firmOne, clients, range);
