import { sql } from 'kysely';
import { clientIdsOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import type { Lang } from '#platform/languages.ts';
import { compareTasks, isPending } from './rules.ts';
import { firmToday, groupsOf, tasksOf } from './scope.server.ts';
import { formOfTask } from './task-forms.server.ts';
import { taskTitle } from './titles.server.ts';
import { GROUPS_A_PAGE, type TaskStatus, type TaskType } from './tasks.ts';

/** A task in the lists of contacts. */
export interface ListedTask {
  taskId: string;
  clientId: string;
  client: string;
  title: string;
  type: TaskType;
  status: TaskStatus;
  dueOn: string | null;
  isOverdue: boolean;
  /** Returned by the firm, with a reason. */
  isReturned: boolean;
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
      'task_submissions.decision',
      requiredSteps(0).as('steps'),
      requiredSteps(1).as('settled'),
    ])
    .where('tasks.group_id', 'in', [...order.keys()])
    .execute();
  const today = await firmToday(actor.companyId);
  const shown = rows
    .filter(({ status }) => isPending(status) === pending)
    .map((row) => ({ ...row, taskId: row.task_id, order: row.position, dueDate: row.due_on }))
    .toSorted((a, b) => (order.get(a.group_id) ?? 0) - (order.get(b.group_id) ?? 0) || compareTasks(a, b));
  return {
    total: Number(total),
    tasks: await Promise.all(
      shown.map(async (row) => ({
        taskId: row.task_id,
        clientId: row.client_id,
        client: row.client_name,
        title: taskTitle(lang, { ...row, taxYear: row.tax_year }, await formOfTask(row)),
        type: row.type,
        status: row.status,
        dueOn: row.due_on,
        isOverdue: isPending(row.status) && row.due_on !== null && row.due_on < today,
        isReturned: row.status === 'WIP' && row.decision === 'returned',
        settled: Number(row.settled),
        steps: Number(row.steps),
      })),
    ),
  };
}

/** Whether a contact acts for more than one client. */
export const hasSeveralClients = async (actor: Actor): Promise<boolean> =>
  (await clientIdsOf(actor).limit(2).execute()).length > 1;
