import { db } from '#platform/database/database.server.ts';
import { firmToday } from '../scope.server.ts';
import { isPending } from '../rules.ts';
import type { TaskStatus } from '../tasks.ts';

interface GroupState {
  status: TaskStatus;
  pending_count: number;
  task_count: number;
}

/** The state of a group by the statuses of its tasks that are not deleted, and of the one that changed last. */
function groupState(statuses: readonly TaskStatus[], last: TaskStatus | undefined): GroupState {
  const pending = statuses.filter(isPending);
  const has = (status: TaskStatus): boolean => statuses.includes(status);
  const status = (): TaskStatus => {
    if (pending.length > 0) return statuses.every((each) => each === 'New') ? 'New' : 'WIP';
    if (last !== undefined && !isPending(last)) return last;
    if (has('Received')) return 'Received';
    return has('Done') ? 'Done' : has('Cancelled') ? 'Cancelled' : 'New';
  };
  return { status: status(), pending_count: pending.length, task_count: statuses.length };
}

interface Dated {
  status: TaskStatus;
  due_on: string | null;
  expires_on: string | null;
}

/** The earliest date of the pending tasks of a group, or of all once none is pending: the group is listed by it. */
function earliest(tasks: readonly Dated[], date: 'due_on' | 'expires_on'): string | null {
  const pending = tasks.filter(({ status }) => isPending(status));
  const dates = (pending.length > 0 ? pending : tasks).flatMap((task) => task[date] ?? []);
  return dates.toSorted()[0] ?? null;
}

/**
 * Computes the state of a group after a change of its tasks, in the same transaction. When its last pending task is
 * completed, the group gets that task's status and the date (spec 2 section 4). When the firm then decides about
 * tasks that it received, the group follows: it is received while any task is, else done if any is.
 */
export async function updateGroupState(
  { groupId, companyId }: { groupId: string; companyId: string },
  completed?: TaskStatus,
): Promise<void> {
  const group = await db()
    .selectFrom('task_groups')
    .select(['pending_count', 'task_count', 'completed_on'])
    .where('group_id', '=', groupId)
    .executeTakeFirstOrThrow();
  const tasks = await db()
    .selectFrom('tasks')
    .select(['status', 'due_on', 'expires_on'])
    .where('group_id', '=', groupId)
    .where('deleted_at', 'is', null)
    .execute();
  const isFirstCompletion = group.pending_count > 0;
  const state = groupState(
    tasks.map(({ status }) => status),
    isFirstCompletion ? completed : undefined,
  );
  const isComplete = state.pending_count === 0 && state.task_count > 0;
  await db()
    .updateTable('task_groups')
    .set({
      ...state,
      due_on: earliest(tasks, 'due_on'),
      expires_on: earliest(tasks, 'expires_on'),
      completed_on: isComplete ? (group.completed_on ?? (await firmToday(companyId))) : null,
    })
    .where('group_id', '=', groupId)
    .execute();
}
