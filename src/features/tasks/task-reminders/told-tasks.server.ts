import type { Actor } from '#features/base/people/people.ts';
import { isPending } from '#features/tasks/tasks/rules.ts';
import { tasksOf } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask } from '#features/tasks/tasks/task-forms.server.ts';
import type { TaskStatus } from '#features/tasks/tasks/tasks.ts';
import { taskTitle } from '#features/tasks/tasks/titles.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';

/** A task in a mail, as its reader sees it now. */
export interface ToldTask {
  taskId: string;
  clientId: string;
  client: string;
  title: string;
  dueOn: string | null;
  status: TaskStatus;
  isOpen: boolean;
  /** Whether a submission waits until the firm accepts it. */
  isAcceptedByFirm: boolean;
}

/** Those of these tasks that the reader may see now, in their language: the ones due first come first. */
export async function toldTasks(reader: Actor, taskIds: readonly string[]): Promise<Map<string, ToldTask>> {
  if (taskIds.length === 0) return new Map();
  const lang = languageOf(reader.language) ?? DEFAULT_LANG;
  const rows = await tasksOf(reader)
    .innerJoin('clients', 'clients.client_id', 'tasks.client_id')
    .selectAll('tasks')
    .select('clients.name as client_name')
    .where('tasks.task_id', 'in', taskIds)
    .orderBy((e) => e.fn.coalesce('tasks.due_on', e.val('9999-12-31')))
    .orderBy('tasks.label_key')
    .orderBy('tasks.task_id')
    .execute();
  const told = new Map<string, ToldTask>();
  for (const row of rows)
    told.set(row.task_id, {
      taskId: row.task_id,
      clientId: row.client_id,
      client: row.client_name,
      title: taskTitle(lang, { ...row, taxYear: row.tax_year }, await formOfTask(row)),
      dueOn: row.due_on,
      status: row.status,
      isOpen: isPending(row.status),
      isAcceptedByFirm: row.accepted_by === 'firm',
    });
  return told;
}
