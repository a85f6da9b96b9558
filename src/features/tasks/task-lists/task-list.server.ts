import { sql, type SqlBool } from 'kysely';
import { isOfOwnClient } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { compareTasks, isPending, nextTask } from '#features/tasks/tasks/rules.ts';
import {
  firmGroupsOf,
  firmToday,
  groupDue,
  groupsOf,
  tasksOf,
  visibleTypes,
  type TaskRow,
} from '#features/tasks/tasks/scope.server.ts';
import { formTitles } from '#features/tasks/tasks/task-forms.server.ts';
import { GROUPS_A_PAGE, type TaskStatus, type TaskType } from '#features/tasks/tasks/tasks.ts';
import { taskTitle } from '#features/tasks/tasks/titles.server.ts';
import { optimizationFence, countUpTo, db } from '#platform/database/database.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { addDays } from '#platform/text/time-zones.ts';

/** A task in the lists of contacts. */
export interface ListedTask {
  taskId: string;
  clientId: string;
  client: string;
  clientKind: 'business' | 'individual';
  title: string;
  type: TaskType;
  status: TaskStatus;
  dueOn: string | null;
  isOverdue: boolean;
  /** Due within a week. */
  isSoon: boolean;
  /** Returned by the firm, with a reason. */
  isReturned: boolean;
  isExpired: boolean;
  /** Of its steps. */
  settled: number;
  steps: number;
}

/** How many required steps a task of the query has, or with 1 how many of them are settled. */
const requiredSteps = (settled: 0 | 1) =>
  sql<number>`(select count(*) from task_steps where task_steps.task_id = tasks.task_id and is_required = 1 and is_settled >= ${settled})`;

interface Groups {
  /** Of one client; undefined for all of the actor's. */
  clientId: string | undefined;
  isPending: boolean;
}

interface Options extends Groups {
  lang: Lang;
  /** Groups to skip. */
  from: number;
}

/** A page of the actor's tasks, and how many groups there are; with `isMore` that many or more. */
interface TaskPage {
  tasks: ListedTask[];
  total: number;
  isMore: boolean;
}

/** Counting groups ends here, but for the pages after these. */
const MAX_COUNTED = 1000;

/** A page of the actor's tasks, by groups: pending ones by due date, complete ones with the newest first. */
export async function listTasks(actor: Actor, { lang, from, ...groups }: Options): Promise<TaskPage> {
  const needed = from + GROUPS_A_PAGE + 1;
  const max = Math.max(MAX_COUNTED, needed);
  const first = await firstOfMany(actor, groups, { max, among: 2 * MAX_COUNTED });
  const inOrder = first.count >= needed || first.isAll ? actor : actorOfFew(actor);
  const page = groupPage(inOrder, groups, { from, limit: GROUPS_A_PAGE });
  const isCounted = first.isAll || first.count >= max;
  const total =
    first.count > 0 && isCounted
      ? first.count
      : await countUpTo(
          groupsIn(groups.clientId === undefined ? actorOfFew(actor) : actor, groups).select(
            'task_groups.group_id',
          ),
          max,
        );
  return { tasks: await tasksIn(actor, page, { lang, groups }), total, isMore: total >= max };
}

/** The first pending tasks of all clients of the actor. */
export async function firstTasks(actor: Actor, lang: Lang, limit: number): Promise<ListedTask[]> {
  const groups = { clientId: undefined, isPending: true };
  const first = await firstOfMany(actor, groups, { max: limit, among: MAX_FOR_FIRST });
  const inOrder = first.count >= limit || first.isAll ? actor : actorOfFew(actor);
  const page = groupPage(inOrder, groups, { from: 0, limit });
  return (await tasksIn(actor, page, { lang, groups })).slice(0, limit);
}

/** The groups of a list, of one client or of all of the actor's. */
const groupsIn = (actor: Actor, { isPending: pending, clientId }: Groups) =>
  (actor.hasManyClients && clientId === undefined ? firmGroupsOf : groupsOf)(actor)
    .where('task_groups.pending_count', pending ? '>' : '=', 0)
    .$if(clientId !== undefined, (all) => all.where('task_groups.client_id', '=', clientId ?? ''));

/** Groups in the order of their list, of which each has its place. */
function groupPage(actor: Actor, groups: Groups, { from, limit }: { from: number; limit: number }) {
  const listed = groupsIn(actor, groups)
    .select([
      'task_groups.group_id',
      'task_groups.label_key',
      groups.isPending ? groupDue.as('first_by') : sql<string>`task_groups.completed_on`.as('first_by'),
    ])
    .$if(groups.isPending, (all) => all.orderBy(groupDue))
    .$if(!groups.isPending, (all) => all.orderBy('task_groups.completed_on', 'desc'))
    .orderBy('task_groups.label_key')
    .orderBy('task_groups.group_id')
    .limit(limit)
    .offset(from);
  const direction = groups.isPending ? sql`asc` : sql`desc`;
  return db()
    .selectFrom(listed.as('listed'))
    .select([
      'listed.group_id',
      sql<number>`row_number() over (order by listed.first_by ${direction}, listed.label_key, listed.group_id)`.as(
        'place',
      ),
    ]);
}

/** Of the firm's groups so many are looked through for the first ones of a contact with many clients. */
const MAX_FOR_FIRST = 500;

interface FirstOfMany {
  /** How many of the first groups of the firm are the actor's, up to a number. */
  count: number;
  /** Below that number, whether the firm has no others. */
  isAll: boolean;
}

/**
 * Looks how many of the first groups of the firm are those of a contact with many clients: if they are enough for a page,
 * it is found soonest in the order of the firm's groups, else by client.
 */
async function firstOfMany(
  actor: Actor,
  groups: Groups,
  { max, among }: { max: number; among: number },
): Promise<FirstOfMany> {
  if (!actor.hasManyClients || groups.clientId !== undefined) return { count: 0, isAll: true };
  const ofFirm = groups.isPending
    ? sql`from task_groups where company_id = ${actor.companyId} and pending_count > 0 order by coalesce(due_on, '9999-12-31')`
    : sql`from task_groups where company_id = ${actor.companyId} and pending_count = 0 and task_count > 0 order by completed_on desc`;
  const first = sql<FirstGroup>`(select client_id, type ${ofFirm} limit ${sql.lit(among)})`;
  const own = db()
    .selectFrom(first.as('task_groups'))
    .select('task_groups.type')
    .where(isLinked(actor))
    .where('task_groups.type', 'in', [...visibleTypes(actor), '' as TaskType]);
  const count = await countUpTo(own, max);
  if (count === max) return { count, isAll: false };
  const { rows } = await sql`select 1 ${ofFirm} limit 1 offset ${sql.lit(among)}`.execute(db());
  return { count, isAll: rows.length === 0 };
}

/** Whether the client of a group is a current one of a contact, by the link alone: what is shown is compared with the client, too. */
const isLinked = ({ contactId }: Actor) =>
  sql<SqlBool>`exists (select 1 from client_contacts as links where links.contact_id = ${contactId} and links.client_id = task_groups.client_id and links.is_archived = 0 ${optimizationFence})`;

interface FirstGroup {
  client_id: string;
  type: TaskType;
}

/** The actor, of whom rows are looked up by client. */
const actorOfFew = (actor: Actor): Actor => ({ ...actor, hasManyClients: false });

/** The tasks of groups, in the order of these. */
async function tasksIn(
  actor: Actor,
  page: ReturnType<typeof groupPage>,
  { lang, groups: { isPending: pending } }: { lang: Lang; groups: Groups },
): Promise<ListedTask[]> {
  const rows = await tasksOf(actor)
    .innerJoin(page.as('page'), 'page.group_id', 'tasks.group_id')
    .innerJoin('clients', 'clients.client_id', 'tasks.client_id')
    .leftJoin('task_submissions', (join) =>
      join
        .onRef('task_submissions.task_id', '=', 'tasks.task_id')
        .onRef('task_submissions.number', '=', 'tasks.submission'),
    )
    .selectAll('tasks')
    .select([
      'clients.name as client_name',
      'clients.kind as client_kind',
      'task_submissions.decision',
      requiredSteps(0).as('steps'),
      requiredSteps(1).as('settled'),
      'page.place',
    ])
    .execute();
  if (rows.length === 0) return [];
  const today = await firmToday(actor.companyId);
  const soon = addDays(today, 7);
  const titles = await formTitles(rows.map(({ form_id: id }) => id));
  const shown = rows
    .filter(({ status }) => isPending(status) === pending)
    .map(sortable)
    .toSorted((a, b) => Number(a.place) - Number(b.place) || compareTasks(a, b));
  return shown.map((row) => ({
    taskId: row.task_id,
    clientId: row.client_id,
    client: row.client_name,
    clientKind: row.client_kind,
    title: taskTitle(lang, { ...row, taxYear: row.tax_year }, titles.get(row.form_id ?? '')),
    type: row.type,
    status: row.status,
    dueOn: row.due_on,
    isOverdue: isPending(row.status) && row.due_on !== null && row.due_on < today,
    isSoon: row.due_on !== null && row.due_on >= today && row.due_on < soon,
    isReturned: row.status === 'WIP' && row.decision === 'returned',
    isExpired: isPending(row.status) && row.expires_on !== null && row.expires_on < today,
    settled: Number(row.settled),
    steps: Number(row.steps),
  }));
}

const sortable = <Row extends Pick<TaskRow, 'task_id' | 'position' | 'due_on'>>(row: Row) => ({
  ...row,
  taskId: row.task_id,
  order: row.position,
  dueDate: row.due_on,
});

/** Whether a task waits for the contact. */
export async function hasPendingTask(actor: Actor): Promise<boolean> {
  const row = await groupsOf(actor)
    .select('task_groups.group_id')
    .where('task_groups.pending_count', '>', 0)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The pending tasks of a client. */
export interface PendingAtClient {
  clientId: string;
  count: number;
  /** The earliest due date; null if none has one. */
  dueOn: string | null;
}

/** The actor's clients with pending tasks, those with the earliest due date first. */
export async function pendingByClient(actor: Actor, limit: number): Promise<PendingAtClient[]> {
  const clients = actor.hasManyClients ? await earliestOfMany(actor, limit) : undefined;
  const rows = await groupsOf(clients ? actor : actorOfFew(actor))
    .where('task_groups.pending_count', '>', 0)
    .$if(clients !== undefined, (groups) =>
      groups.where('task_groups.client_id', 'in', ['', ...(clients ?? [])]),
    )
    .select(({ fn }) => [
      'task_groups.client_id',
      fn.sum<number>('task_groups.pending_count').as('count'),
      fn.min('task_groups.due_on').as('due_on'),
    ])
    .groupBy('task_groups.client_id')
    .orderBy(({ fn, val }) => fn.coalesce(fn.min('task_groups.due_on'), val('9999-12-31')))
    .orderBy('task_groups.client_id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ clientId: row.client_id, count: Number(row.count), dueOn: row.due_on }));
}

/**
 * Of a contact with many clients, those with the earliest due dates among the first pending groups of the firm; undefined
 * if these do not tell.
 */
async function earliestOfMany(actor: Actor, limit: number): Promise<string[] | undefined> {
  const first = sql<
    FirstGroup & { due: string }
  >`(select client_id, type, coalesce(due_on, '9999-12-31') as due from task_groups
    where company_id = ${actor.companyId} and pending_count > 0 order by due, client_id limit ${sql.lit(MAX_FOR_FIRST)})`;
  const own = await db()
    .selectFrom(first.as('task_groups'))
    .select(['task_groups.client_id', 'task_groups.due'])
    .where(isOfOwnClient(actor, 'task_groups.client_id'))
    .where('task_groups.type', 'in', [...visibleTypes(actor), '' as TaskType])
    .limit(10 * limit)
    .execute();
  const ids = [...new Set(own.map((row) => row.client_id))];
  return ids.length < limit ? undefined : ids;
}

/** Tasks of the menu: more than these are found by the list. */
const MAX_IN_MENU = 60;

/** The tasks of one type in the menu. */
export interface TaskBranch {
  type: TaskType;
  tasks: { taskId: string; title: string }[];
}

/** The pending tasks of a client by type, for the menu beside a task, which is in it even if it is complete. */
export async function taskTree(
  actor: Actor,
  { lang, clientId, current }: { lang: Lang; clientId: string; current: string },
): Promise<TaskBranch[]> {
  const rows = await tasksOf(actor)
    .selectAll('tasks')
    .where('tasks.client_id', '=', clientId)
    .where((e) => e.or([e('tasks.status', 'in', ['New', 'WIP']), e('tasks.task_id', '=', current)]))
    .orderBy((e) => sql<SqlBool>`${e.ref('tasks.task_id')} = ${current}`, 'desc')
    .orderBy((e) => e.fn.coalesce('tasks.due_on', e.val('9999-12-31')))
    .orderBy('tasks.task_id')
    .limit(MAX_IN_MENU)
    .execute();
  const titles = await formTitles(rows.map(({ form_id: id }) => id));
  const branches = new Map<TaskType, TaskBranch>();
  for (const row of rows.map(sortable).toSorted(compareTasks)) {
    const branch = branches.get(row.type) ?? { type: row.type, tasks: [] };
    branches.set(row.type, branch);
    const title = taskTitle(lang, { ...row, taxYear: row.tax_year }, titles.get(row.form_id ?? ''));
    branch.tasks.push({ taskId: row.task_id, title });
  }
  return [...branches.values()];
}

/**
 * The task that is selected after this one is complete: of its group, else the first pending one of the client
 * (spec 2 section 4); undefined if nothing is left to do. With `isGroupList`, the list without the menu, it may be a
 * complete one of the group.
 */
export async function taskAfter(
  actor: Actor,
  current: { taskId: string; groupId: string; clientId: string },
  { isGroupList }: { isGroupList: boolean },
): Promise<{ taskId: string; clientId: string } | undefined> {
  const first = await groupsOf(actor)
    .select('task_groups.group_id')
    .where('task_groups.client_id', '=', current.clientId)
    .where('task_groups.pending_count', '>', 0)
    .where('task_groups.group_id', '!=', current.groupId)
    .orderBy((e) => e.fn.coalesce('task_groups.due_on', e.val('9999-12-31')))
    .orderBy('task_groups.label_key')
    .orderBy('task_groups.group_id')
    .limit(1)
    .executeTakeFirst();
  const groups = [current.groupId, ...(first ? [first.group_id] : [])];
  const rows = await tasksOf(actor).selectAll('tasks').where('tasks.group_id', 'in', groups).execute();
  const tasks = rows
    .map((row) => ({ ...sortable(row), groupId: row.group_id, clientId: row.client_id }))
    .toSorted((a, b) => groups.indexOf(a.groupId) - groups.indexOf(b.groupId) || compareTasks(a, b));
  const next = nextTask(tasks, current, { isGroupList });
  return next && next.taskId !== current.taskId ? next : undefined;
}

/** Whether the actor sees the menu of tasks by type; otherwise the list alone, by groups (spec 1 section 6). */
export const hasTaskMenu = ({ access }: Pick<Actor, 'access'>): boolean =>
  access.controls.has('ShowClientCenterNewTaskList');
