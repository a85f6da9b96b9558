import { sql, type SqlBool } from 'kysely';
import { clientIdsOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { compareTasks, isPending, nextTask } from '#features/tasks/rules.ts';
import { firmToday, groupsOf, tasksOf, type TaskRow } from '#features/tasks/scope.server.ts';
import { formTitles } from '#features/tasks/task-forms.server.ts';
import { GROUPS_A_PAGE, type TaskStatus, type TaskType } from '#features/tasks/tasks.ts';
import { taskTitle } from '#features/tasks/titles.server.ts';
import type { Lang } from '#platform/languages.ts';
import { addDays } from '#platform/time-zones.ts';

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

interface Options {
  lang: Lang;
  /** Of one client; undefined for all of the actor's. */
  clientId: string | undefined;
  isPending: boolean;
  /** Groups to skip. */
  from: number;
}

/** A page of the actor's tasks, by groups: pending ones by due date, complete ones with the newest first. */
export async function listTasks(
  actor: Actor,
  { lang, clientId, isPending: pending, from }: Options,
): Promise<{ tasks: ListedTask[]; total: number }> {
  const groups = () =>
    groupsOf(actor)
      .where('task_groups.pending_count', pending ? '>' : '=', 0)
      .$if(clientId !== undefined, (all) => all.where('task_groups.client_id', '=', clientId ?? ''));
  const { total } = await groups()
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const page = await groups()
    .select('task_groups.group_id')
    .$if(pending, (all) => all.orderBy((e) => e.fn.coalesce('task_groups.due_on', e.val('9999-12-31'))))
    .$if(!pending, (all) => all.orderBy('task_groups.completed_on', 'desc'))
    .orderBy('task_groups.label_key')
    .orderBy('task_groups.group_id')
    .limit(GROUPS_A_PAGE)
    .offset(from)
    .execute();
  const order = new Map(page.map(({ group_id: id }, place) => [id, place]));
  if (order.size === 0) return { tasks: [], total: Number(total) };
  const rows = await tasksOf(actor)
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
    ])
    .where('tasks.group_id', 'in', [...order.keys()])
    .execute();
  const today = await firmToday(actor.companyId);
  const soon = addDays(today, 7);
  const titles = await formTitles(rows.map(({ form_id: id }) => id));
  const shown = rows
    .filter(({ status }) => isPending(status) === pending)
    .map(sortable)
    .toSorted((a, b) => (order.get(a.group_id) ?? 0) - (order.get(b.group_id) ?? 0) || compareTasks(a, b));
  return {
    total: Number(total),
    tasks: shown.map((row) => ({
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
    })),
  };
}

const sortable = <Row extends Pick<TaskRow, 'task_id' | 'position' | 'due_on'>>(row: Row) => ({
  ...row,
  taskId: row.task_id,
  order: row.position,
  dueDate: row.due_on,
});

/** Whether a contact acts for more than one client. */
export const hasSeveralClients = async (actor: Actor): Promise<boolean> =>
  (await clientIdsOf(actor).limit(2).execute()).length > 1;

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
  const rows = await groupsOf(actor)
    .where('task_groups.pending_count', '>', 0)
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
