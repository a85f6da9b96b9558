import { sql } from 'kysely';
import {
  activeClient,
  choiceOf,
  listClients,
  switcherQuery,
} from '#features/clients/clients/clients.server.ts';
import { MAX_COUNTED } from '#features/clients/clients/rules.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { unreadIn } from '#features/tasks/task-messages/reading.server.ts';
import { firstTasks, listTasks, pendingByClient } from '#features/tasks/task-lists/task-list.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { COMPLETE } from '#features/tasks/tasks/rules.ts';
import { db, inBatches, inTransaction, isShared } from '#platform/database/database.server.ts';
import { makeCast, person } from './cast.ts';
import { homeFor } from './home.ts';
import { storeManyClients } from './many-clients.ts';
import { vacuumAll } from './postgres-plans.ts';

const CLIENTS = 5000;

/**
 * Three contacts of a firm with 5,000 clients: of 100, of 400 and of 4,000 of them, each of which has a task that waits for
 * the client and every third a complete one.
 */
export async function contactsWithManyClients(): Promise<Record<'few' | 'many' | 'most', Actor>> {
  const { sam, firmOne, clientA } = await makeCast();
  await createTask(sam, { clientId: clientA, type: 'misc', label: 'Papers', dueDate: '2030-01-31' });
  const clients = await storeManyClients(
    firmOne,
    Array.from({ length: CLIENTS }, (_, i) => ({
      name: `Bakery ${(i * 7919) % CLIENTS}`,
      code: `B-${i}`,
      kind: 'business' as const,
      tags: [],
      responsible: sam.contactId,
    })),
  );
  await storeTasks(clients);
  const linkedTo = async (name: string, count: number): Promise<Actor> => {
    const { contactId } = await person(firmOne, name, `${name.toLowerCase()}@one.example`);
    const own = clients.filter(
      (_, i) => Math.floor((i * count) / CLIENTS) !== Math.floor(((i - 1) * count) / CLIENTS),
    );
    for (const batch of inBatches(own))
      await inTransaction(() =>
        db()
          .insertInto('client_contacts')
          .values(batch.map((client_id) => ({ client_id, contact_id: contactId })))
          .execute(),
      );
    return actorOf(contactId);
  };
  const contacts = {
    few: await linkedTo('Fiona', 100),
    many: await linkedTo('Mary', 400),
    most: await linkedTo('Moses', 4000),
  };
  if (isShared) await vacuumAll();
  return contacts;
}

/** Copies of the one task and of its group: one that waits for each client, a complete one for every third. */
async function storeTasks(clients: readonly string[]): Promise<void> {
  const columnsOf = async (table: 'tasks' | 'task_groups'): Promise<string[]> => {
    const [row] = await db().selectFrom(table).selectAll().limit(1).execute();
    return Object.keys(row ?? {});
  };
  const [group, task] = [await columnsOf('task_groups'), await columnsOf('tasks')];
  for (const batch of inBatches(clients.map((clientId, i) => ({ clientId, i }))))
    await inTransaction(async () => {
      const values = sql.join(
        batch.flatMap(({ clientId, i }) => {
          const due = `2027-${String((i % 12) + 1).padStart(2, '0')}-${String(((i * 5) % 28) + 1).padStart(2, '0')}`;
          const own = [sql`(${clientId}, ${`waits-${i}`}, ${due}, 1)`];
          return i % 3 === 0 ? [...own, sql`(${clientId}, ${`done-${i}`}, ${due}, 0)`] : own;
        }),
      );
      for (const [table, columns] of [
        ['task_groups', group],
        ['tasks', task],
      ] as const) {
        const of: Record<string, ReturnType<typeof sql>> = {
          group_id: sql`'group_' || made.place`,
          task_id: sql`'task_' || made.place`,
          client_id: sql`made.client_id`,
          due_on: sql`made.due`,
          pending_count: sql`made.is_pending`,
          completed_on: sql`case when made.is_pending = 1 then null else made.due end`,
          status: sql`case when made.is_pending = 1 then one.status else 'Done' end`,
        };
        await sql`with made (client_id, place, due, is_pending) as (values ${values})
          insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
          select ${sql.join(columns.map((column) => of[column] ?? sql.ref(`one.${column}`)))}
          from made cross join (select * from ${sql.table(table)} where ${sql.ref(table === 'tasks' ? 'task_id' : 'group_id')} not like '%-%' limit 1) as one`.execute(
          db(),
        );
      }
    });
}

/** What the pages of a contact read: the bar with their clients, the list of these, their tasks and their home page. */
export const READS: Record<string, (actor: Actor) => Promise<unknown>> = {
  'the active client': (actor) => activeClient(actor, undefined),
  'the client bar': (actor) => choiceOf(actor, ''),
  'the first clients': (actor) => listClients(actor, switcherQuery(), MAX_COUNTED),
  'the first clients by number': (actor) =>
    listClients(actor, switcherQuery({ orderBy: 'code' }), MAX_COUNTED),
  'a search of clients': (actor) => listClients(actor, switcherQuery({ searchTerm: '77' }), MAX_COUNTED),
  'tasks of all': (actor) =>
    listTasks(actor, { lang: 'en-us', clientId: undefined, isPending: true, from: 0 }),
  'complete tasks of all': (actor) =>
    listTasks(actor, { lang: 'en-us', clientId: undefined, isPending: false, from: 0 }),
  'further tasks of all': (actor) =>
    listTasks(actor, { lang: 'en-us', clientId: undefined, isPending: true, from: 15 }),
  'tasks of a client': async (actor) =>
    listTasks(actor, {
      lang: 'en-us',
      clientId: (await activeClient(actor, undefined))?.id,
      isPending: true,
      from: 0,
    }),
  'first tasks': (actor) => firstTasks(actor, 'en-us', 5),
  'pending tasks by client': (actor) => pendingByClient(actor, 8),
  'unread messages of all': (actor) => unreadIn(actor, { statuses: COMPLETE, clientId: undefined }),
  home: (actor) => homeFor(actor),
};
