import type { Selectable } from 'kysely';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { dataOf, dataOfStep, firmDataOf, firmDataOfStep } from './free-objects.server.ts';
import { firmStatusKey } from './rules.ts';
import { formTitles } from './task-forms.server.ts';
import { taskTitle } from './titles.server.ts';

/**
 * The tasks of a client, their steps, and what the firm decided about what was submitted. What a client has entered and
 * not submitted is not for the firm, so it is not in what the firm exports.
 */
export const exportedTasks: Contributions['exports'] = [
  {
    of: 'client',
    name: 'tasks.csv',
    text: text('tasks', 'exportTasks'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        [
          'title',
          'kind',
          'status',
          'taxYear',
          'dueOn',
          'expiresOn',
          'createdAt',
          'createdBy',
          'submittedAt',
          'responsible',
          'notApplicable',
          'groupName',
          'tags',
          'data',
          'task',
          'group',
        ],
        taskRows(lang, ids),
      ),
  },
  {
    of: 'client',
    name: 'task-steps.csv',
    text: text('tasks', 'exportSteps'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['step', 'section', 'isRequired', 'data', 'task'],
        eachRow(stepsOf(ids), (row) => ({
          task: row.task_id,
          step: row.number,
          section: row.key,
          isRequired: row.is_required === 1,
          data: jsonOf(isSubmitted(row) ? dataOfStep(row) : firmDataOfStep(row, row)),
        })),
      ),
  },
  {
    of: 'client',
    name: 'decisions.csv',
    text: text('tasks', 'exportDecisions'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['submission', 'section', 'decision', 'reason', 'decidedAt', 'decidedBy', 'task'],
        eachRow(decisionsOf(ids), (row) => ({
          task: row.task_id,
          submission: row.submission,
          section: row.path,
          decision: { word: row.decision },
          reason:
            row.reason === null ? '' : decryptFrom('task_decisions.reason', row.decision_id, row.reason),
          decidedAt: { at: row.decided_at },
          decidedBy: row.full_name,
        })),
      ),
  },
];

/** An object of the spec's programs; empty if it has nothing. */
const jsonOf = (data: object): string => (Object.keys(data).length === 0 ? '' : JSON.stringify(data));

/** Whether the firm reads what the client has entered. */
const isSubmitted = ({ status }: Pick<Selectable<Tables['tasks']>, 'status'>): boolean =>
  status === 'Received' || status === 'Done';

async function* taskRows(lang: Lang, clientIds: readonly string[]) {
  const t = translationsFor(lang, 'tasks');
  for await (const rows of tasksOf(clientIds)) {
    const titles = await formTitles(rows.map(({ form_id: id }) => id));
    const reasons = await reasonsOf(
      rows.flatMap(({ task_id: id, status }) => (status === 'Cancelled' ? [id] : [])),
    );
    for (const row of rows)
      yield {
        task: row.task_id,
        title: taskTitle(lang, { ...row, taxYear: row.tax_year }, titles.get(row.form_id ?? '')),
        kind: t(`type_${row.type}`),
        status: t(firmStatusKey(row.status)),
        taxYear: row.tax_year,
        dueOn: row.due_on,
        expiresOn: row.expires_on,
        createdAt: { at: row.created_at },
        createdBy: row.created_by_name,
        submittedAt: { at: row.submitted_at },
        responsible: row.responsible_name,
        notApplicable: reasons.get(row.task_id),
        group: row.group_id,
        groupName: row.group_label,
        tags: (JSON.parse(row.tags) as string[]).join(', '),
        data: jsonOf(isSubmitted(row) ? dataOf(row) : firmDataOf(row)),
      };
  }
}

const tasksOf = (clientIds: readonly string[]) =>
  rowPages(['tasks.created_at', 'tasks.task_id'], (page) =>
    db()
      .selectFrom('tasks')
      .innerJoin('task_groups', 'task_groups.group_id', 'tasks.group_id')
      .leftJoin('contacts as creator', 'creator.contact_id', 'tasks.created_by')
      .leftJoin('contacts as keeper', 'keeper.contact_id', 'tasks.responsible')
      .selectAll('tasks')
      .select([
        'task_groups.label as group_label',
        'creator.full_name as created_by_name',
        'keeper.full_name as responsible_name',
      ])
      .where('tasks.client_id', 'in', clientIds)
      .where('tasks.deleted_at', 'is', null)
      .$call(page)
      .execute(),
  );

/** Why clients said that tasks do not apply. */
async function reasonsOf(taskIds: readonly string[]): Promise<Map<string, string>> {
  if (taskIds.length === 0) return new Map();
  const rows = await db()
    .selectFrom('task_answers')
    .select(['answer_id', 'task_id', 'value'])
    .where('task_id', 'in', taskIds)
    .where('path', '=', '#not-apply')
    .execute();
  return new Map(
    rows.map(({ answer_id: id, task_id: taskId, value }) => [
      taskId,
      String(JSON.parse(decryptFrom('task_answers.value', id, value))),
    ]),
  );
}

const stepsOf = (clientIds: readonly string[]) =>
  rowPages(['task_steps.task_id', 'task_steps.number'], (page) =>
    db()
      .selectFrom('task_steps')
      .innerJoin('tasks', 'tasks.task_id', 'task_steps.task_id')
      .selectAll('task_steps')
      .select('tasks.status')
      .where('tasks.client_id', 'in', clientIds)
      .where('tasks.deleted_at', 'is', null)
      .$call(page)
      .execute(),
  );

const decisionsOf = (clientIds: readonly string[]) =>
  rowPages(['task_decisions.task_id', 'task_decisions.decided_at', 'task_decisions.decision_id'], (page) =>
    db()
      .selectFrom('task_decisions')
      .innerJoin('tasks', 'tasks.task_id', 'task_decisions.task_id')
      .leftJoin('contacts', 'contacts.contact_id', 'task_decisions.decided_by')
      .selectAll('task_decisions')
      .select('contacts.full_name')
      .where('tasks.client_id', 'in', clientIds)
      .where('tasks.deleted_at', 'is', null)
      .$call(page)
      .execute(),
  );
