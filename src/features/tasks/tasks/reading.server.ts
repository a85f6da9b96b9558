import type { StoredAnswer } from '#features/tasks/answer-editor/merging.ts';
import { actorsOf, assertActsFor } from '#features/base/people/people.server.ts';
import { hasPart, type Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { answersOf, textAnswer } from './answers.server.ts';
import { dataOf, dataOfStep, firmDataOf, firmDataOfStep } from './free-objects.server.ts';
import { compareTasks } from './rules.ts';
import { groupsOf, taskRow, tasksOf, type TaskRow } from './scope.server.ts';
import { DEFAULT_PAGE_SIZE, type ReadOptions, type Task, type TaskGroup } from './tasks.ts';

type Parts = Partial<Pick<ReadOptions, 'data' | 'steps'>>;

/** Reads a task; NOT_FOUND. */
export async function taskOf(
  actor: Actor,
  taskId: string,
  { deleted = false, ...parts }: Parts & { deleted?: boolean } = {},
): Promise<Task> {
  const [task] = await present(actor, [await taskRow(actor, taskId, { withDeleted: deleted })], parts);
  if (!task) throw notFound();
  return task;
}

/**
 * Lists the tasks of clients, in their order (spec 2 section 9). NOT_FOUND for a client that is not the actor's. Empty
 * for contacts without access to tasks.
 */
export async function tasksOfClients(
  actor: Actor,
  clientIds: readonly string[],
  options: ReadOptions,
): Promise<Task[]> {
  await assertClients(actor, clientIds);
  if (lacksTasks(actor)) return [];
  const rows = await tasksOf(actor, { withDeleted: options.deleted })
    .selectAll('tasks')
    .where('tasks.client_id', 'in', clientIds)
    .$if(options.taskStatuses !== undefined, (tasks) =>
      tasks.where('tasks.status', 'in', options.taskStatuses ?? []),
    )
    .execute();
  return present(actor, onPage(rows.map(sortable).toSorted(compareTasks), options), options);
}

/** Lists the groups of clients, or without them of all clients of the actor, by due date and label. */
export async function listGroups(
  actor: Actor,
  clientIds: readonly string[] | undefined,
  options: ReadOptions,
): Promise<TaskGroup[]> {
  if (clientIds) await assertClients(actor, clientIds);
  if (lacksTasks(actor)) return [];
  const { taskGroupStatuses, pageNum, pageSize = DEFAULT_PAGE_SIZE } = options;
  const rows = await groupsOf(actor)
    .selectAll('task_groups')
    .$if(clientIds !== undefined, (groups) => groups.where('task_groups.client_id', 'in', clientIds ?? []))
    .$if(taskGroupStatuses !== undefined, (groups) =>
      groups.where('task_groups.status', 'in', taskGroupStatuses ?? []),
    )
    .orderBy((e) => e.fn.coalesce('task_groups.due_on', e.val('9999-12-31')))
    .orderBy('task_groups.label_key')
    .orderBy('task_groups.group_id')
    .$if(pageNum !== undefined, (groups) => groups.limit(pageSize).offset((pageNum ?? 0) * pageSize))
    .execute();
  return presentGroups(actor, rows, options);
}

/** Reads a group with its tasks; NOT_FOUND. */
export async function groupNamed(actor: Actor, groupId: string, options: ReadOptions): Promise<TaskGroup> {
  const row = await groupsOf(actor)
    .selectAll('task_groups')
    .where('task_groups.group_id', '=', groupId)
    .executeTakeFirst();
  const [group] = row ? await presentGroups(actor, [row], { ...options, taskDetails: true }) : [];
  if (!group) throw notFound();
  return group;
}

async function assertClients(actor: Actor, clientIds: readonly string[]): Promise<void> {
  for (const clientId of clientIds) await assertActsFor(actor, clientId);
}

/** Contacts without access to tasks have empty lists, and a warning is logged (spec 2 section 8). */
function lacksTasks(actor: Actor): boolean {
  if (actor.staff || hasPart(actor.access, 'tasks')) return false;
  log.warn({ event: 'tasks.without-access' });
  return true;
}

const sortable = (row: TaskRow) => ({
  ...row,
  taskId: row.task_id,
  order: row.position,
  dueDate: row.due_on,
});

const onPage = <Row>(
  rows: readonly Row[],
  { pageNum, pageSize = DEFAULT_PAGE_SIZE }: Pick<ReadOptions, 'pageNum' | 'pageSize'>,
): readonly Row[] =>
  pageNum === undefined ? rows : rows.slice(pageNum * pageSize, (pageNum + 1) * pageSize);

type GroupRow = Awaited<ReturnType<ReturnType<ReturnType<typeof groupsOf>['selectAll']>['execute']>>[number];

async function presentGroups(
  actor: Actor,
  rows: readonly GroupRow[],
  options: ReadOptions,
): Promise<TaskGroup[]> {
  if (rows.length === 0) return [];
  const found = await tasksOf(actor, { withDeleted: options.deleted })
    .selectAll('tasks')
    .where(
      'tasks.group_id',
      'in',
      rows.map(({ group_id: id }) => id),
    )
    .$if(options.taskStatuses !== undefined, (tasks) =>
      tasks.where('tasks.status', 'in', options.taskStatuses ?? []),
    )
    .execute();
  const sorted = found.map(sortable).toSorted(compareTasks);
  const details = new Map(
    (options.taskDetails ? await present(actor, sorted, options) : []).map((task) => [task.taskId, task]),
  );
  return rows.map((row) => ({
    id: row.group_id,
    clientId: row.client_id,
    type: row.type,
    label: row.label,
    taxYear: row.tax_year,
    status: row.status,
    completedDate: row.completed_on,
    expirationDate: row.expires_on,
    dueDate: row.due_on,
    tags: JSON.parse(row.tags) as string[],
    tasks: sorted
      .filter(({ group_id: id }) => id === row.group_id)
      .map(({ taskId }) => details.get(taskId) ?? { taskId }),
  }));
}

async function present(actor: Actor, rows: readonly TaskRow[], { data, steps }: Parts): Promise<Task[]> {
  const ids = rows.map(({ task_id: id }) => id);
  const answers = await readableAnswers(actor, rows);
  const stepRows =
    steps && ids.length > 0
      ? await db()
          .selectFrom('task_steps')
          .selectAll()
          .where('task_id', 'in', ids)
          .orderBy('number')
          .execute()
      : [];
  return rows.map((row) => {
    const values = answers.get(row.task_id);
    return {
      taskId: row.task_id,
      clientId: row.client_id,
      taskGroupId: row.group_id,
      type: row.type,
      status: row.status,
      label: row.label,
      order: row.position,
      dueDate: row.due_on,
      expirationDate: row.expires_on,
      deleted: row.deleted_at !== null,
      params: { kind: row.kind, taxYear: row.tax_year },
      sendNotification: row.send_notification === 1,
      tags: JSON.parse(row.tags) as string[],
      comment: textAnswer(values, '#comment'),
      doesNotApplyComment: textAnswer(values, '#not-apply'),
      version: row.version,
      ...(data && { data: isDraft(actor, row) ? firmDataOf(row) : dataOf(row) }),
      ...(steps && {
        steps: stepRows
          .filter(({ task_id: id }) => id === row.task_id)
          .map((step) => ({
            number: step.number,
            required: step.is_required === 1,
            settled: step.is_settled === 1,
            data: isDraft(actor, row) ? firmDataOfStep(row, step) : dataOfStep(step),
            comment: textAnswer(values, `${step.number}#comment`),
            dnaComment: textAnswer(values, `${step.number}#not-apply`),
            version: step.version,
          })),
      }),
    };
  });
}

/** The values of tasks. What a client has not submitted is not for the firm, which reads only what its own people wrote. */
async function readableAnswers(
  actor: Actor,
  rows: readonly TaskRow[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, StoredAnswer>>> {
  const answers = await answersOf(rows.map(({ task_id: id }) => id));
  if (!actor.staff) return answers;
  const drafts = rows.flatMap((row) => (isDraft(actor, row) ? [row.task_id] : []));
  const writers = new Set(
    drafts.flatMap((id) => [...(answers.get(id)?.values() ?? [])].map((each) => each.changedBy)),
  );
  const isStaff = new Map((await actorsOf([...writers])).map((each) => [each.contactId, each.staff]));
  for (const row of rows.filter((each) => isDraft(actor, each)))
    for (const { path, changedBy } of answers.get(row.task_id)?.values() ?? []) {
      const isReason = row.status === 'Cancelled' && path === '#not-apply';
      if (!isStaff.get(changedBy) && !isReason) answers.get(row.task_id)?.delete(path);
    }
  return answers;
}

/** Whether what a task contains is not for the actor: the client has not submitted it, or has removed it. */
const isDraft = (actor: Actor, { status }: Pick<TaskRow, 'status'>): boolean =>
  actor.staff && status !== 'Received' && status !== 'Done';
