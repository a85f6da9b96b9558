import { sql, type Expression, type SqlBool } from 'kysely';
import { defineGrid } from '#features/base/grids/define.server.ts';
import type { Cell } from '#features/base/grids/grids.ts';
import type { Actor } from '#features/base/people/people.ts';
import { loadStaffNames } from '#features/base/people/staff.server.ts';
import { clientsNamed, loadClientNames } from '#features/clients/clients/client-search.server.ts';
import { managesTasks } from '#features/tasks/tasks/creating.server.ts';
import { unreadMessagesRequested } from '#features/tasks/tasks/events.server.ts';
import { firmStatusKey, isPending } from '#features/tasks/tasks/rules.ts';
import {
  firmTasksOf,
  firmToday,
  hasFewAssigned,
  hasFewTasks,
  tasksByClient,
  tasksOfFirm,
  tasksOf,
} from '#features/tasks/tasks/scope.server.ts';
import { formTitles, type FormTitle } from '#features/tasks/tasks/task-forms.server.ts';
import { TASK_STATUSES, TASK_TYPES, type TaskStatus, type TaskType } from '#features/tasks/tasks/tasks.ts';
import { firmState } from './firm-state.server.ts';
import { taskTitle } from '#features/tasks/tasks/titles.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import type { T } from '#platform/text/messages.ts';
import { formatShortDate } from '#platform/text/formats.ts';
import type { KeysOf } from '#platform/text/translations.server.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';

/** The form of the page that the checkboxes and buttons of rows belong to. */
export const TASKS_FORM = 'tasks';

const TYPE_OPTIONS = TASK_TYPES.map((type) => [type, `type_${type}`] as const);
const STATUS_OPTIONS = TASK_STATUSES.map((status) => [status, firmStatusKey(status)] as const);

/**
 * By this date tasks are ordered and compared. It stands in the SQL as in the indexes (as do the statuses below): SQLite
 * does not use an index of an expression, or of some rows only, for a parameter.
 */
const dueDate = sql<string>`coalesce(tasks.due_on, '9999-12-31')`;

/** What waits for the client or for the firm. */
const OPEN = TASK_STATUSES.filter((status) => isPending(status) || status === 'Received');

/** A task in the firm's grid. */
export interface GridTask {
  taskId: string;
  clientId: string;
  client: string;
  type: TaskType;
  status: TaskStatus;
  dueOn: string | null;
  submittedAt: number | null;
  label: string;
  kind: string;
  taxYear: number | null;
  form: FormTitle | undefined;
  isReturned: boolean;
  /** Days since the due date of a task that is pending; 0 for one that is not late. */
  daysLate: number;
  settled: number;
  steps: number;
  /** The last of the dates by which contacts plan to finish a pending task. */
  promisedOn: string | undefined;
  changedAt: number;
  /** Messages on it that the actor has not read. */
  unreadMessages: number;
  responsible: string;
  template: string;
}

/** What the chips above the grid show. */
export const TASK_VIEWS = [
  'open',
  'waiting',
  'clients',
  'overdue',
  'returned',
  'new',
  'mine',
  'done',
  'all',
] as const;
export type TaskView = (typeof TASK_VIEWS)[number];
/** The statuses of the tasks of a view; none for what is no view. */
export function statusesOfView(view: string): readonly TaskStatus[] {
  const known = TASK_VIEWS.find((each) => each === view);
  return known === undefined ? [] : VIEW_STATUSES[known];
}

const VIEW_STATUSES: Record<TaskView, readonly TaskStatus[]> = {
  open: ['New', 'WIP', 'Received'],
  waiting: ['Received'],
  clients: ['New', 'WIP'],
  overdue: ['New', 'WIP'],
  returned: ['WIP'],
  new: ['New'],
  mine: TASK_STATUSES,
  done: ['Done'],
  all: TASK_STATUSES,
};

const viewKey = (view: TaskView) => (view === 'all' ? 'all' : (`view_${view}` as const));

/** In the filter by who is responsible: tasks of nobody. */
export const NOBODY = 'nobody';

const responsibleIs = (contactId: string): Expression<SqlBool> =>
  contactId === NOBODY ? sql`tasks.responsible is null` : sql`tasks.responsible = ${contactId}`;

const isReturned = sql<SqlBool>`exists (select 1 from task_submissions where task_submissions.task_id = tasks.task_id and task_submissions.number = tasks.submission and task_submissions.decision = 'returned')`;

/** The condition of a chip. */
async function viewCondition({ companyId, contactId }: Actor, view: string): Promise<Expression<SqlBool>> {
  const conditions: Record<TaskView, () => Promise<Expression<SqlBool>> | Expression<SqlBool>> = {
    open: () => sql<SqlBool>`tasks.status in ('New', 'WIP', 'Received')`,
    all: () => sql<SqlBool>`1 = 1`,
    waiting: () => sql<SqlBool>`tasks.status = 'Received'`,
    clients: () => sql<SqlBool>`tasks.status in ('New', 'WIP')`,
    done: () => sql<SqlBool>`tasks.status = 'Done'`,
    overdue: async () =>
      sql<SqlBool>`(tasks.status in ('New', 'WIP') and ${dueDate} < ${await firmToday(companyId)})`,
    returned: () => sql<SqlBool>`(tasks.status = 'WIP' and tasks.submission > 0 and ${isReturned})`,
    new: () => sql<SqlBool>`tasks.status = 'New'`,
    mine: () => sql<SqlBool>`tasks.responsible = ${contactId}`,
  };
  const found = TASK_VIEWS.find((each) => each === view);
  return found === undefined ? sql<SqlBool>`1 = 0` : conditions[found]();
}

/** All tasks of the clients of a member of staff, by due date; FORBIDDEN for contacts. */
export const tasksGrid = defineGrid({
  name: 'tasks',
  namespace: 'tasks',
  path: '/api/staff/v1/grids/tasks',
  caption: 'title',
  submit: 'filter',
  empty: 'noTasks',
  noMatch: 'noneFound',
  from: async (actor) => {
    if (!actor.staff) throw new PortalError('FORBIDDEN');
    const areFew = await hasFewTasks(actor);
    const lookedUp = tasksByClient(actor);
    if (areFew) return { rows: lookedUp, areFew, some: [] };
    const counted = (await hasFewAssigned(actor))
      ? { ofFirm: tasksOfFirm(actor), byClient: lookedUp }
      : undefined;
    return { rows: firmTasksOf(actor), areFew, some: [], counted };
  },
  id: sql.ref('tasks.task_id'),
  columns: {
    title: {
      label: 'columnTask',
      type: 'text',
      sql: sql.ref('tasks.label_key'),
      isSortable: false,
      isRowHeader: true,
      cell: (row, { lang, t, pathTo }) => ({
        text: taskTitle(lang, row, row.form),
        href: pathTo(`staff/tasks/${row.taskId}`),
        ...(row.unreadMessages > 0 && { note: t('newMessages', { count: row.unreadMessages }) }),
      }),
    },
    client: {
      label: 'columnClient',
      type: 'exact',
      sql: sql.ref('tasks.client_id'),
      isSortable: false,
      isFilterable: false,
      isGroupable: true,
      groupTexts: (_, ids) => loadClientNames(ids),
      textStyle: 'phrase',
      cell: ({ client, clientId }, { pathTo }) => ({
        text: client,
        href: pathTo(`staff/clients/${clientId}`),
      }),
    },
    type: {
      label: 'columnType',
      isHidden: true,
      type: 'choice',
      sql: sql.ref('tasks.type'),
      isSortable: false,
      isGroupable: true,
      options: TYPE_OPTIONS,
      textStyle: 'phrase',
      cell: ({ type }, { t }) => t(`type_${type}`),
    },
    status: {
      label: 'columnState',
      type: 'choice',
      sql: sql.ref('tasks.status'),
      isSortable: false,
      isGroupable: true,
      options: STATUS_OPTIONS,
      chip: { note: '10/10' },
      textStyle: 'phrase',
      cell: (row, { lang }) => firmState(lang, row),
    },
    progress: {
      label: 'columnProgress',
      type: 'text',
      isHidden: true,
      textStyle: 'meta',
      cell: ({ settled, steps }, { t }) => (steps === 0 ? '' : t('progress', { settled, steps })),
    },
    due: {
      label: 'columnDue',
      type: 'exact',
      isLabelled: true,
      sql: dueDate,
      isFilterable: false,
      textStyle: 'meta',
      cell: ({ dueOn, daysLate }, { lang, t }) => dueCell({ dueOn, daysLate, lang }, t),
    },
    waitsFor: {
      label: 'columnWaits',
      type: 'text',
      isHidden: true,
      isShort: true,
      isMinor: true,
      textStyle: 'phrase',
      cell: ({ status }, { t }) =>
        isPending(status) ? t('waitsClient') : status === 'Received' ? t('waitsFirm') : '',
    },
    messages: {
      label: 'columnMessages',
      type: 'text',
      isHidden: true,
      textStyle: 'meta',
      cell: ({ unreadMessages: count }, { t }) => (count === 0 ? '' : t('newMessages', { count })),
    },
    promised: {
      label: 'columnPromised',
      type: 'text',
      isHidden: true,
      textStyle: 'meta',
      cell: ({ promisedOn }, { lang }) => dateCell(promisedOn ?? null, lang),
    },
    responsible: {
      label: 'columnResponsible',
      isHidden: true,
      type: 'exact',
      sql: sql<string>`coalesce(tasks.responsible, '')`,
      isSortable: false,
      isFilterable: false,
      isGroupable: true,
      groupTexts: (_, ids) => loadStaffNames(ids),
      textStyle: 'person',
      cell: ({ responsible }) => responsible,
    },
    template: {
      label: 'columnTemplate',
      type: 'exact',
      sql: sql<string>`coalesce(tasks.template_id, '')`,
      isSortable: false,
      isFilterable: false,
      isGroupable: true,
      isHidden: true,
      groupTexts: templateNames,
      textStyle: 'phrase',
      cell: ({ template }) => template,
    },
    changed: {
      label: 'columnActivity',
      type: 'time',
      isMinor: true,
      sql: sql.ref('tasks.changed_at'),
      isSortable: false,
      textStyle: 'meta',
      cell: ({ changedAt }) => ({ text: '', at: changedAt }),
    },
    submitted: {
      label: 'columnSubmitted',
      type: 'time',
      sql: sql.ref('tasks.submitted_at'),
      isNullable: true,
      isSortable: false,
      isHidden: true,
      textStyle: 'meta',
      cell: ({ submittedAt }) => ({ text: '', at: submittedAt ?? undefined }),
    },
  },
  orderBy: [{ by: 'due', dir: 'asc' }],
  search: { label: 'search', in: ['title'] },
  fields: {
    view: {
      kind: 'select',
      label: 'view',
      options: TASK_VIEWS.map((view) => [view, viewKey(view)] as const),
      where: viewCondition,
    },
    status: {
      kind: 'select',
      label: 'columnState',
      by: 'status',
      op: 'EQ',
      options: [['', 'all'], ...STATUS_OPTIONS],
    },
    type: {
      kind: 'select',
      label: 'columnType',
      by: 'type',
      op: 'EQ',
      options: [['', 'all'], ...TYPE_OPTIONS],
    },
    responsible: { kind: 'select', label: 'columnResponsible', where: (_, id) => responsibleIs(id) },
    /** Not `client`, by which the address of every page names the active client. */
    clientName: {
      kind: 'text',
      label: 'columnClient',
      maxlength: 200,
      where: ({ companyId }, name) =>
        sql<SqlBool>`tasks.client_id in ${clientsNamed(companyId, name.trim())}`,
    },
  },
  rows: gridTasks,
  idOf: ({ taskId }) => taskId,
  nameOf: (task, { lang }) => taskTitle(lang, task, task.form),
  actions: ({ taskId, clientId, status }, actor, { t, pathTo }) => [
    {
      label: t(status === 'Received' && managesTasks(actor) ? 'actReview' : 'actOpen'),
      href: pathTo(`staff/tasks/${taskId}`),
    },
    ...(isPending(status) && managesTasks(actor)
      ? [{ label: t('actRemind'), name: 'remind', value: taskId, form: TASKS_FORM }]
      : []),
    { label: t('actClient'), href: pathTo(`staff/clients/${clientId}`) },
  ],
});

/** Rows that a client's page shows. */
const OF_CLIENT = 5;

/** The tasks of one client that are not finished, by due date; the grid has the others. */
export async function openTasksOfClient(actor: Actor, clientId: string): Promise<GridTask[]> {
  const found = await tasksOf(actor)
    .select('tasks.task_id')
    .where('tasks.client_id', '=', clientId)
    .where('tasks.status', 'in', OPEN)
    .orderBy(dueDate)
    .orderBy('tasks.task_id')
    .limit(OF_CLIENT)
    .execute();
  const ids = found.map((row) => row.task_id);
  if (ids.length === 0) return [];
  const rows = new Map((await gridTasks(actor, ids)).map((task) => [task.taskId, task]));
  return ids.flatMap((id) => rows.get(id) ?? []);
}

async function gridTasks(actor: Actor, ids: readonly (string | number)[]): Promise<GridTask[]> {
  const taskIds = ids.map(String);
  const rows = await tasksOf(actor)
    .innerJoin('clients', 'clients.client_id', 'tasks.client_id')
    .leftJoin('contacts', 'contacts.contact_id', 'tasks.responsible')
    .selectAll('tasks')
    .select(['clients.name as client_name', 'contacts.full_name', isReturned.as('is_returned')])
    .where('tasks.task_id', 'in', taskIds)
    .execute();
  const steps = await db()
    .selectFrom('task_steps')
    .select((e) => [
      'task_id',
      e.fn.countAll<number>().as('all'),
      e.fn.sum<number>('is_settled').as('settled'),
    ])
    .where('task_id', 'in', taskIds)
    .where('is_required', '=', 1)
    .groupBy('task_id')
    .execute();
  const stepsOf = new Map(steps.map((row) => [row.task_id, row]));
  const promises = await db()
    .selectFrom('task_promises')
    .select((e) => ['task_id', e.fn.max('promised_on').as('promised_on')])
    .where('task_id', 'in', taskIds)
    .groupBy('task_id')
    .execute();
  const promisedOn = new Map(promises.map((row) => [row.task_id, row.promised_on]));
  const titles = await formTitles(rows.map((row) => row.form_id));
  const unread = new Map<string, number>();
  await unreadMessagesRequested.announce({ actor, taskIds, add: (id, count) => void unread.set(id, count) });
  const today = await firmToday(actor.companyId);
  return rows.map((row) => ({
    taskId: row.task_id,
    clientId: row.client_id,
    client: row.client_name,
    type: row.type,
    status: row.status,
    dueOn: row.due_on,
    submittedAt: row.submitted_at,
    label: row.label,
    kind: row.kind,
    taxYear: row.tax_year,
    form: titles.get(row.form_id ?? ''),
    isReturned: row.status === 'WIP' && Boolean(row.is_returned),
    daysLate: row.due_on !== null && isPending(row.status) ? daysBetween(row.due_on, today) : 0,
    settled: Number(stepsOf.get(row.task_id)?.settled ?? 0),
    steps: Number(stepsOf.get(row.task_id)?.all ?? 0),
    promisedOn: isPending(row.status) ? promisedOn.get(row.task_id) : undefined,
    changedAt: row.changed_at,
    unreadMessages: unread.get(row.task_id) ?? 0,
    responsible: row.full_name ?? '',
    template: row.template_name,
  }));
}

/** When a task is due, or how late it is. */
function dueCell(
  { dueOn, daysLate, lang }: { dueOn: string | null; daysLate: number; lang: Lang },
  t: T<KeysOf<'tasks'>>,
): Cell {
  const date = dateCell(dueOn, lang);
  if (daysLate === 0) return date;
  return {
    text: t('late', { count: daysLate }),
    title: t('due', { date: date.text }),
    ...onOf(date),
    isProblem: true,
  };
}

const onOf = ({ on }: Cell): Pick<Cell, 'on'> => (on === undefined ? {} : { on });

const dateCell = (on: string | null, lang: Lang): Pick<Cell, 'text' | 'on'> =>
  on === null ? { text: '' } : { text: formatShortDate(LANGUAGES[lang], on, 'UTC', now()), on };

/** Whole days from a date to a later one; 0 if it is not later. */
const daysBetween = (from: string, to: string): number =>
  Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / DAY));

/** The names of templates when their newest tasks were created. */
async function templateNames(actor: Actor, ids: readonly string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const id of ids) {
    const row = await tasksOf(actor)
      .select('tasks.template_name')
      .where('tasks.company_id', '=', actor.companyId)
      .where('tasks.template_id', '=', id)
      .limit(1)
      .executeTakeFirst();
    if (row) names.set(id, row.template_name);
  }
  return names;
}
