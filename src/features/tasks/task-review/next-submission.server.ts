import type { Actor } from '#features/base/people/people.ts';
import { tasksOf } from '#features/tasks/tasks/scope.server.ts';
import { countUpTo } from '#platform/database/database.server.ts';

/** Counting submissions stops here: "99+". */
export const MAX_WAITING = 100;

/** The submission that has waited longest for the firm besides this one, and how many there are. */
export async function nextSubmission(
  actor: Actor,
  taskId: string,
): Promise<{ taskId: string; count: number } | undefined> {
  const waiting = tasksOf(actor)
    .select('tasks.task_id')
    .where('tasks.status', '=', 'Received')
    .where('tasks.task_id', '!=', taskId);
  const first = await waiting
    .orderBy('tasks.submitted_at')
    .orderBy('tasks.task_id')
    .limit(1)
    .executeTakeFirst();
  return first && { taskId: first.task_id, count: await countUpTo(waiting, MAX_WAITING) };
}
