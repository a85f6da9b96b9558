import type { Side } from '#features/tasks/answer-editor/course.ts';
import { sql } from 'kysely';
import { hasPart, type Actor } from '#features/base/people/people.ts';
import { clientIdsOf, isOfOwnClient } from '#features/base/people/people.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { comparedColumn, countUpTo, db, lockRows } from '#platform/database/database.server.ts';
import { sharedRead } from '#platform/database/shared-reads.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { HIDDEN_BY, type TaskFacts } from './rules.ts';
import { TASK_TYPES, type TaskType } from './tasks.ts';

/** The types of tasks that the actor sees: staff all of them, contacts those that are not hidden from them. */
export function visibleTypes({ staff, access }: Pick<Actor, 'staff' | 'access'>): TaskType[] {
  if (staff) return [...TASK_TYPES];
  if (!hasPart(access, 'tasks')) return [];
  return TASK_TYPES.filter((type) => {
    const control = type in HIDDEN_BY ? HIDDEN_BY[type as keyof typeof HIDDEN_BY] : undefined;
    if (type === 'payment_request' && !access.flags.invoiceTask) return false;
    return control === undefined || !access.controls.has(control);
  });
}

/** A member of staff who views as a contact acts as that contact. */
export const sideOf = ({ staff }: Pick<Actor, 'staff'>): Side => (staff ? 'firm' : 'client');

/** The tasks that the actor may see: deleted ones are for staff only, and only where they are asked for. */
export const tasksOf = (actor: Actor, { withDeleted = false }: { withDeleted?: boolean } = {}) =>
  db()
    .selectFrom('tasks')
    .where(isOfOwnClient(actor, 'tasks.client_id'))
    // staff see every type: a condition would only mislead the choice of an index
    .$if(!actor.staff, (tasks) => tasks.where('tasks.type', 'in', [...visibleTypes(actor), '' as TaskType]))
    .$if(!(actor.staff && withDeleted), (tasks) => tasks.where('tasks.deleted_at', 'is', null));

/** All tasks of the firm, whoever may see them: only to count how many there are. */
export const tasksOfFirm = ({ companyId }: Actor) =>
  db().selectFrom('tasks').where('tasks.deleted_at', 'is', null).where('tasks.company_id', '=', companyId);

/**
 * The same for lists of all tasks of the firm. For staff who see every client the task itself names the firm, so that
 * such a list is counted in an index alone.
 */
export const firmTasksOf = (actor: Actor) =>
  actor.staff && actor.hasAllClients
    ? tasksOfFirm(actor)
    : tasksOf(actor).where('tasks.company_id', '=', actor.companyId);

/** As many clients and tasks of staff with assigned clients are looked up by client. */
const MAX_ASSIGNED = 5000;

/**
 * The tasks of the clients that are assigned to a member of staff, by client: in the order of the firm's tasks, those of all
 * others would be read, too.
 */
export const assignedTasks = (actor: Actor) =>
  db()
    .selectFrom(clientIdsOf(actor).limit(MAX_ASSIGNED).as('own'))
    .crossJoin('tasks')
    .whereRef('tasks.client_id', '=', 'own.client_id')
    .where('tasks.deleted_at', 'is', null);

/** Whether the tasks of a member of staff are few: else they are found soon in the order of the firm's. */
export const hasFewTasks = sharedRead(
  async (actor: Actor): Promise<boolean> => {
    if (!actor.staff || actor.hasAllClients) return false;
    const some = assignedTasks(actor)
      .select(sql<number>`1`.as('one'))
      .limit(MAX_ASSIGNED + 1);
    const { n } = await db()
      .selectFrom(some.as('some'))
      .select((e) => e.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    return Number(n) <= MAX_ASSIGNED;
  },
  ({ contactId }) => contactId,
);

/** Whether a member of staff has so few clients that their tasks can be looked up by client. */
export const hasFewAssigned = sharedRead(
  async (actor: Actor): Promise<boolean> =>
    actor.staff &&
    !actor.hasAllClients &&
    (await countUpTo(clientIdsOf(actor), MAX_ASSIGNED + 1)) <= MAX_ASSIGNED,
  ({ contactId }) => contactId,
);

/** The same tasks as {@link firmTasksOf}, which are looked up by client. */
export const tasksByClient = (actor: Actor) =>
  tasksOf(actor).where(comparedColumn('tasks.company_id'), '=', actor.companyId);

/** The same tasks as {@link firmTasksOf}, each of which is compared with its client. */
export const tasksInOrder = (actor: Actor) =>
  actor.hasAllClients
    ? firmTasksOf(actor)
    : tasksOfFirm(actor).where((e) =>
        e.exists(clientIdsOf(actor).where('clients.client_id', '=', sql<string>`tasks.client_id`)),
      );

/** The groups of the actor's clients with at least one task. */
export const groupsOf = (actor: Actor) =>
  db()
    .selectFrom('task_groups')
    .where(isOfOwnClient(actor, 'task_groups.client_id'))
    .where('task_groups.type', 'in', [...visibleTypes(actor), '' as TaskType])
    .where('task_groups.task_count', '>', 0);

/** By this date groups are ordered, as in their indexes, where it is no parameter. */
export const groupDue = sql<string>`coalesce(task_groups.due_on, '9999-12-31')`;

/**
 * The same, to be read in the order of the firm's groups: for contacts with many clients, of whom each group is compared
 * with its client.
 */
export const firmGroupsOf = (actor: Actor) =>
  groupsOf(actor).where('task_groups.company_id', '=', actor.companyId);

export type TaskRow = Awaited<ReturnType<typeof taskRow>>;

/** Loads a task that the actor may see; NOT_FOUND. */
export async function taskRow(actor: Actor, taskId: string, options: { withDeleted?: boolean } = {}) {
  const row = await tasksOf(actor, options)
    .selectAll('tasks')
    .where('tasks.task_id', '=', taskId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/**
 * Loads a task for a change and locks it and its group until the end of the transaction: the group first, so that
 * changes never wait for each other in a circle. NOT_FOUND.
 */
export async function lockTask(
  actor: Actor,
  taskId: string,
  options: { withDeleted?: boolean } = {},
): Promise<TaskRow> {
  const { group_id: groupId } = await taskRow(actor, taskId, options);
  await lockGroup(groupId);
  return taskRow(actor, taskId, options);
}

/** Does the same for another feature, which has found the task by a row of its own. NOT_FOUND for a deleted one. */
export async function lockTaskOfSystem(taskId: string): Promise<TaskRow> {
  const find = () =>
    db()
      .selectFrom('tasks')
      .selectAll()
      .where('task_id', '=', taskId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
  const found = await find();
  if (found) await lockGroup(found.group_id);
  const row = found && (await find());
  if (!row) throw notFound();
  return row;
}

/** Locks a group, and with it the changes of its tasks, until the end of the transaction. */
export const lockGroup = (groupId: string): Promise<unknown> =>
  db()
    .selectFrom('task_groups')
    .select('group_id')
    .where('group_id', '=', groupId)
    .modifyEnd(lockRows)
    .execute();

/** The current date of a firm, in its time zone. */
export const firmToday = async (companyId: string): Promise<string> =>
  dayOf(now(), (await firmOf(companyId)).timeZone);

/** What decides about changes of a task. */
export async function factsOf(row: TaskRow): Promise<TaskFacts> {
  const submission =
    row.submission === 0
      ? undefined
      : await db()
          .selectFrom('task_submissions')
          .select('opened_at')
          .where('task_id', '=', row.task_id)
          .where('number', '=', row.submission)
          .executeTakeFirst();
  return {
    status: row.status,
    isDeleted: row.deleted_at !== null,
    isExpired: row.expires_on !== null && row.expires_on < (await firmToday(row.company_id)),
    isOpened: (submission?.opened_at ?? null) !== null,
    isMandatory: row.is_mandatory === 1,
    acceptedBy: row.accepted_by,
  };
}

/**
 * What decides about changes of a task, for another feature, which has found it by a row of its own; undefined for a
 * task that does not exist.
 */
export async function factsOfSystem(taskId: string): Promise<TaskFacts | undefined> {
  const row = await db().selectFrom('tasks').selectAll().where('task_id', '=', taskId).executeTakeFirst();
  return row && factsOf(row);
}
