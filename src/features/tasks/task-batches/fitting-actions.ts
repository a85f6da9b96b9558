import { isPending, taskCourse } from '#features/tasks/tasks/rules.ts';
import { TASK_STATUSES, type TaskStatus } from '#features/tasks/tasks/tasks.ts';
import type { ChangeAction } from './task-batches.ts';

/** The statuses of tasks with which a batch does something. */
export function statusesFor(action: ChangeAction): readonly TaskStatus[] {
  if (action === 'assign') return TASK_STATUSES;
  if (action === 'remind') return TASK_STATUSES.filter(isPending);
  return taskCourse.allowed.firm[action] ?? [];
}

/** Whether a batch can do something with some tasks of these statuses. */
export const fits = (action: ChangeAction, statuses: readonly TaskStatus[]): boolean =>
  statusesFor(action).some((status) => statuses.includes(status));
