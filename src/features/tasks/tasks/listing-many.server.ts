import type { Actor } from '#features/base/people/people.ts';
import { inBatches } from '#platform/database/database.server.ts';
import type { TaskFacts } from './rules.ts';
import { tasksOf } from './scope.server.ts';

/** A task that is to be changed with others. */
export interface ManyTask {
  taskId: string;
  clientId: string;
  dueOn: string | null;
  responsible: string | null;
  /** What decides about changes by the firm, which depend on neither its expiration nor its submission. */
  facts: TaskFacts;
}

/** The tasks with these ids that the actor may see, in their order. */
export async function listedTasks(actor: Actor, taskIds: readonly string[]): Promise<ManyTask[]> {
  const found = new Map<string, ManyTask>();
  for (const some of inBatches([...new Set(taskIds)])) {
    const rows = await tasksOf(actor).selectAll('tasks').where('tasks.task_id', 'in', some).execute();
    for (const row of rows)
      found.set(row.task_id, {
        taskId: row.task_id,
        clientId: row.client_id,
        dueOn: row.due_on,
        responsible: row.responsible,
        facts: {
          status: row.status,
          isDeleted: false,
          isExpired: false,
          isOpened: true,
          isMandatory: row.is_mandatory === 1,
          acceptedBy: row.accepted_by,
        },
      });
  }
  return [...new Set(taskIds)].flatMap((id) => found.get(id) ?? []);
}
