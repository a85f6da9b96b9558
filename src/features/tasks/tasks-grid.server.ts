import { sql, type SqlBool } from 'kysely';
import { defineGrid } from '#features/grids/define.server.ts';
import { contains } from '#features/grids/filters.server.ts';
import type { Actor } from '#features/people/people.ts';
import { db, fold } from '#platform/database.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { formatDate } from '#platform/formats.ts';
import { LANGUAGES } from '#platform/languages.ts';
import { tasksOf } from './scope.server.ts';
import { formOfTask } from './task-forms.server.ts';
import { TASK_STATUSES, TASK_TYPES, type TaskStatus, type TaskType } from './tasks.ts';
import { taskTitle } from './titles.server.ts';

const TYPE_OPTIONS = TASK_TYPES.map((type) => [type, `type_${type}`] as const);
const STATUS_OPTIONS = TASK_STATUSES.map((status) => [status, `status_${status}`] as const);
const NO_DATE = '9999-12-31';

/** A task in the firm's grid. */
interface GridTask {
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
  form: Awaited<ReturnType<typeof formOfTask>>;
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
  from: (actor) => {
    if (!actor.staff) throw new PortalError('FORBIDDEN');
    return tasksOf(actor).where('tasks.company_id', '=', actor.companyId);
  },
  id: sql.ref('tasks.task_id'),
  columns: {
    title: {
      label: 'columnTask',
      type: 'text',
      sql: sql.ref('tasks.label_key'),
      isSortable: false,
      isRowHeader: true,
      cell: (row, { lang, pathTo }) => ({
        text: taskTitle(lang, row, row.form),
        href: pathTo(`staff/tasks/${row.taskId}`),
      }),
    },
    client: {
      label: 'columnClient',
      type: 'exact',
      sql: sql.ref('tasks.client_id'),
      isSortable: false,
      isFilterable: false,
      isGroupable: true,
      groupTexts: (_, ids) => clientNames(ids),
      textStyle: 'phrase',
      cell: ({ client, clientId }, { pathTo }) => ({
        text: client,
        href: pathTo(`staff/clients/${clientId}`),
      }),
    },
    type: {
      label: 'columnType',
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
      textStyle: 'phrase',
      cell: ({ status }, { t }) => t(`status_${status}`),
    },
    due: {
      label: 'columnDue',
      type: 'exact',
      sql: sql<string>`coalesce(tasks.due_on, ${NO_DATE})`,
      isFilterable: false,
      textStyle: 'meta',
      cell: ({ dueOn }, { lang }) => (dueOn === null ? '' : formatDate(LANGUAGES[lang], dueOn, 'UTC')),
    },
    submitted: {
      label: 'columnSubmitted',
      type: 'time',
      sql: sql.ref('tasks.submitted_at'),
      isNullable: true,
      isSortable: false,
      textStyle: 'meta',
      cell: ({ submittedAt }) => ({ text: '', at: submittedAt ?? undefined }),
    },
  },
  orderBy: [{ by: 'due', dir: 'asc' }],
  search: { label: 'search', in: ['title'] },
  fields: {
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
    /** Not `client`, by which the address of every page names the active client. */
    clientName: {
      kind: 'text',
      label: 'columnClient',
      maxlength: 200,
      where: ({ companyId }, name) =>
        sql<SqlBool>`tasks.client_id in ${db()
          .selectFrom('clients')
          .select('clients.client_id')
          .where('clients.company_id', '=', companyId)
          .where(contains(sql.ref('clients.name_key'), fold(name.trim())))}`,
    },
  },
  rows: gridTasks,
  idOf: ({ taskId }) => taskId,
  nameOf: ({ label, client }) => label || client,
});

async function gridTasks(actor: Actor, ids: readonly (string | number)[]): Promise<GridTask[]> {
  const rows = await tasksOf(actor)
    .innerJoin('clients', 'clients.client_id', 'tasks.client_id')
    .selectAll('tasks')
    .select('clients.name as client_name')
    .where('tasks.task_id', 'in', ids.map(String))
    .execute();
  return Promise.all(
    rows.map(async (row) => ({
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
      form: await formOfTask(row),
    })),
  );
}

async function clientNames(ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db()
    .selectFrom('clients')
    .select(['client_id', 'name'])
    .where('client_id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.client_id, row.name]));
}
