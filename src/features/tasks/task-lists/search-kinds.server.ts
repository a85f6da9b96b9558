import { sql } from 'kysely';
import { contains } from '#features/base/grids/filters.server.ts';
import { rowsWithText } from '#features/base/grids/rare-texts.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { firmTasksOf, tasksOf } from '#features/tasks/tasks/scope.server.ts';
import { formTitles } from '#features/tasks/tasks/task-forms.server.ts';
import { taskTitle } from '#features/tasks/tasks/titles.server.ts';
import { db, fold, tasksByText } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text as textOf } from '#platform/text/texts.server.ts';
import { TASK_ICONS } from './task-icons.ts';

type SearchKinds = Contributions['search'];

/** Tasks by a part of their title: of the firm's clients, and of a contact's own. */
export const searchKinds: SearchKinds = [
  {
    kind: 'tasks',
    order: 30,
    label: textOf('tasks', 'title'),
    icon: 'clipboard-list',
    page: 'staff/tasks',
    find: async (context) => ({
      hits: (await findTasks(context)).map(({ taskId, ...hit }) => ({
        ...hit,
        href: context.pathTo(`staff/tasks/${taskId}`),
      })),
      all: context.pathTo('staff/tasks', { searchTerm: context.text }),
    }),
  },
  {
    kind: 'own-tasks',
    order: 30,
    label: textOf('portal', 'tabTasks'),
    icon: 'clipboard-list',
    page: 'tasks',
    isFor: ({ session: { actor } }) => !actor.staff,
    find: async (context) => ({
      hits: (await findTasks(context)).map(({ taskId, clientId, ...hit }) => ({
        ...hit,
        href: context.pathTo(`tasks/clients/${clientId}/task/${taskId}`, { client: clientId }),
      })),
    }),
  },
];

/** It stands in the SQL as in the index of the firm's tasks. */
const dueDate = sql<string>`coalesce(tasks.due_on, '9999-12-31')`;
const isOpen = sql<number>`case when tasks.status in ('New', 'WIP', 'Received') then 0 else 1 end`;

/** The tasks with a text in their title: what is open and due last first, one more than shown. */
async function findTasks({ actor, lang, text, limit }: Parameters<SearchKinds[number]['find']>[0]) {
  const ids = await taskIdsWith(actor, fold(text), limit + 1);
  if (ids.length === 0) return [];
  const rows = await tasksOf(actor)
    .innerJoin('clients', 'clients.client_id', 'tasks.client_id')
    .select([
      'tasks.task_id as taskId',
      'tasks.client_id as clientId',
      'tasks.type',
      'tasks.kind',
      'tasks.label',
      'tasks.tax_year as taxYear',
      'tasks.form_id',
      'clients.name as client',
    ])
    .where('tasks.task_id', 'in', ids)
    .execute();
  const titles = await formTitles(rows.map((row) => row.form_id));
  return rows
    .toSorted((a, b) => ids.indexOf(a.taskId) - ids.indexOf(b.taskId))
    .map((row) => ({
      taskId: row.taskId,
      clientId: row.clientId,
      title: taskTitle(lang, row, titles.get(row.form_id ?? '')),
      note: row.client,
      icon: TASK_ICONS[row.type],
    }));
}

/** Of a contact's tasks with a common text so many are put in order. */
const MAX_ORDERED = 200;

/**
 * A text that few of the firm's tasks have is looked up; another one is found soon in the list of the firm, or among some
 * of a contact's own tasks, which are read by client.
 */
async function taskIdsWith(actor: Actor, text: string, max: number): Promise<string[]> {
  const { companyId } = actor;
  const { few } = await rowsWithText(text, {
    column: sql.ref('label_key'),
    list: sql`from tasks where company_id = ${companyId} and deleted_at is null order by coalesce(due_on, '9999-12-31'), task_id`,
    index: tasksByText(companyId, text),
  });
  const found = few
    ? tasksOf(actor)
        .where('tasks.task_id', 'in', sql<string>`(select task_id from (${few}) as found)`)
        .where(sql<boolean>`tasks.company_id || '' = ${companyId}`)
        .orderBy(isOpen)
    : actor.staff
      ? firmTasksOf(actor).where(contains(sql.ref('tasks.label_key'), text))
      : db().selectFrom(
          tasksOf(actor)
            .select(['tasks.task_id', 'tasks.due_on'])
            .where(contains(sql.ref('tasks.label_key'), text))
            .limit(MAX_ORDERED)
            .as('tasks'),
        );
  const rows = await found
    .select('tasks.task_id')
    .orderBy(dueDate, 'desc')
    .orderBy('tasks.task_id', 'desc')
    .limit(max)
    .execute();
  return rows.map((row) => row.task_id);
}
