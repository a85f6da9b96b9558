import { sql } from 'kysely';
import { isReadOnly, type Actor } from '#features/base/people/people.ts';
import { NAME_COLUMNS, namesOfRows } from '#features/tasks/tasks/names.server.ts';
import { taskRow } from '#features/tasks/tasks/scope.server.ts';
import type { TaskStatus } from '#features/tasks/tasks/tasks.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { sharedRead } from '#platform/database/shared-reads.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { taskMessagesHandled, taskMessagesRead } from './events.server.ts';
import { messagesOf } from './scope.server.ts';

/* Each person has read the messages of others up to a number. Viewing as a contact marks nothing as read. */

/** The messages that others wrote and the actor has not read. */
const unreadOf = (actor: Actor) =>
  messagesOf(actor)
    .leftJoin('task_reads', (join) =>
      join
        .onRef('task_reads.task_id', '=', 'task_messages.task_id')
        .on('task_reads.contact_id', '=', actor.contactId),
    )
    .where('task_messages.created_by', '<>', actor.contactId)
    .where('task_messages.withdrawn_at', 'is', null)
    .where('task_messages.number', '>', sql<number>`coalesce(task_reads.read_number, 0)`);

/** In a firm with so many messages, those of a contact with many clients are looked up by client. */
const MAX_LOOKED_THROUGH = 1000;

/**
 * The messages on tasks of all clients that the actor has not read. Those of a contact with many clients are looked for
 * among the messages of the firm, if these are not too many.
 */
async function unreadOfAll(actor: Actor): Promise<ReturnType<typeof unreadOf>> {
  if (!actor.hasManyClients) return unreadOf(actor);
  const { companyId } = actor;
  const all = db().selectFrom('task_messages').select('message_id').where('company_id', '=', companyId);
  const isLong = (await all.limit(1).offset(MAX_LOOKED_THROUGH).executeTakeFirst()) !== undefined;
  return isLong
    ? unreadOf({ ...actor, hasManyClients: false })
    : unreadOf(actor).where('task_messages.company_id', '=', companyId);
}

/** How many messages on each of these tasks the actor has not read; tasks without any are missing. */
export async function unreadByTask(actor: Actor, taskIds: readonly string[]): Promise<Map<string, number>> {
  if (taskIds.length === 0) return new Map();
  const rows = await unreadOf(actor)
    .where('task_messages.task_id', 'in', taskIds)
    .select((e) => ['task_messages.task_id', e.fn.countAll<number>().as('count')])
    .groupBy('task_messages.task_id')
    .execute();
  return new Map(rows.map(({ task_id: id, count }) => [id, Number(count)]));
}

/** Adds the number of unread messages on each of these tasks to a list of tasks. */
export async function addUnread({
  actor,
  taskIds,
  add,
}: {
  actor: Actor;
  taskIds: readonly string[];
  add: (taskId: string, count: number) => void;
}): Promise<void> {
  for (const [taskId, count] of await unreadByTask(actor, taskIds)) add(taskId, count);
}

/** A task with messages that somebody has not read. */
interface UnreadThread {
  taskId: string;
  title: string;
  clientId: string;
  count: number;
  /** When the newest came, in epoch ms. */
  newestAt: number;
  /** How many are unread on all tasks of the client. */
  countOfClient: number;
  /** The newest one of its client. */
  isNewestOfClient: boolean;
}

/**
 * The tasks with messages that the actor has not read, the newest first: the first `limit`, and of each client the
 * first. Two parts of the home page show them.
 */
export const unreadThreads = sharedRead(
  async (actor: Actor, lang: Lang, limit: number): Promise<UnreadThread[]> => {
    const unread = await unreadOfAll(actor);
    const threads = unread
      .select((e) => [
        ...NAME_COLUMNS,
        'tasks.client_id',
        e.fn.countAll<number>().as('count'),
        e.fn.max('task_messages.created_at').as('newest_at'),
      ])
      .groupBy([...NAME_COLUMNS, 'tasks.client_id']);
    const ranked = db()
      .selectFrom(threads.as('threads'))
      .selectAll('threads')
      .select([
        sql<number>`sum(threads.count) over (partition by threads.client_id)`.as('of_client'),
        sql<number>`row_number() over (partition by threads.client_id order by threads.newest_at desc, threads.task_id)`.as(
          'place_at_client',
        ),
        sql<number>`row_number() over (order by threads.newest_at desc, threads.task_id)`.as('place'),
      ]);
    const rows = await db()
      .selectFrom(ranked.as('ranked'))
      .selectAll('ranked')
      .where((e) => e.or([e('ranked.place', '<=', limit), e('ranked.place_at_client', '=', 1)]))
      .orderBy('ranked.place')
      .execute();
    const names = await namesOfRows(rows, lang);
    return rows.map((row) => ({
      taskId: row.task_id,
      title: names.get(row.task_id) ?? '',
      clientId: row.client_id,
      count: Number(row.count),
      newestAt: Number(row.newest_at),
      countOfClient: Number(row.of_client),
      isNewestOfClient: Number(row.place_at_client) === 1,
    }));
  },
  ({ contactId }, lang, limit) => `${contactId} ${lang} ${limit}`,
);

/** How many messages the actor has not read on tasks in these states, of one client or of all of theirs. */
export async function unreadIn(
  actor: Actor,
  { statuses, clientId }: { statuses: readonly TaskStatus[]; clientId: string | undefined },
): Promise<number> {
  const unread = clientId === undefined ? await unreadOfAll(actor) : unreadOf(actor);
  const { count } = await unread
    .where('tasks.status', 'in', statuses)
    .$if(clientId !== undefined, (all) => all.where('tasks.client_id', '=', clientId ?? ''))
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The ids of the messages on a task that the actor has not read. */
export async function unreadOn(actor: Actor, taskId: string): Promise<Set<string>> {
  const rows = await unreadOf(actor)
    .where('task_messages.task_id', '=', taskId)
    .select('task_messages.message_id')
    .execute();
  return new Set(rows.map(({ message_id: id }) => id));
}

/**
 * Records that the actor has read all messages on a task that they see. Staff who may answer have handled them for the
 * firm. NOT_FOUND.
 */
export async function markMessagesRead(actor: Actor, taskId: string): Promise<void> {
  if (actor.viewedBy !== undefined) return;
  await inTransaction(async () => {
    await taskRow(actor, taskId);
    const { newest } = await messagesOf(actor)
      .where('task_messages.task_id', '=', taskId)
      .select((e) => e.fn.max('task_messages.number').as('newest'))
      .executeTakeFirstOrThrow();
    if (newest === null) return;
    const read_number = Number(newest);
    const { contactId } = actor;
    const advanced = await db()
      .insertInto('task_reads')
      .values({ task_id: taskId, contact_id: contactId, read_number })
      .onConflict((conflict) =>
        conflict
          .columns(['task_id', 'contact_id'])
          .doUpdateSet({ read_number })
          .where('task_reads.read_number', '<', read_number),
      )
      .returning('task_id')
      .executeTakeFirst();
    if (advanced) await taskMessagesRead.announce({ contactId, taskId });
    if (actor.staff && !isReadOnly(actor))
      await taskMessagesHandled.announce({ companyId: actor.companyId, taskId });
  });
}

/** Removes the messages on a deleted task from what is pending for the firm. */
export async function endMessagesOf({ taskId }: { taskId: string }): Promise<void> {
  const { company_id: companyId } = await db()
    .selectFrom('tasks')
    .select('company_id')
    .where('task_id', '=', taskId)
    .executeTakeFirstOrThrow();
  await taskMessagesHandled.announce({ companyId, taskId });
}
