import { actorNow, assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { performAction } from './acting.server.ts';
import { assertManagesTasks } from './creating.server.ts';
import { lockTask, tasksOf } from './scope.server.ts';

/** How long deleted tasks can be restored. */
const RESTORABLE_FOR = 30 * DAY;

/**
 * Deletes a task, which staff can restore for 30 days, or with `isFinal` removes it for good. NOT_FOUND, FORBIDDEN;
 * NOT_POSSIBLE to remove a task for good that was submitted: it is part of the records.
 */
export async function deleteTask(
  actor: Actor,
  taskId: string,
  { isFinal = false }: { isFinal?: boolean } = {},
): Promise<void> {
  if (!isFinal) return void (await performAction(actor, taskId, 'delete'));
  await inTransaction(async () => {
    const current = await actorNow(actor);
    assertManagesTasks(current);
    const row = await lockTask(current, taskId, { withDeleted: true });
    if (row.submission > 0) throw new PortalError('NOT_POSSIBLE');
    if (row.deleted_at === null) await performAction(current, taskId, 'delete');
    await audit({
      companyId: row.company_id,
      actor: current.contactId,
      action: 'task.purge',
      target: taskId,
      clientId: row.client_id,
    });
    await db().deleteFrom('tasks').where('task_id', '=', taskId).execute();
  });
}

/** Deletes all tasks of a client, and returns how many; NOT_FOUND, FORBIDDEN. */
export async function deleteTasksOf(actor: Actor, clientId: string): Promise<number> {
  assertManagesTasks(actor);
  return inTransaction(async () => {
    await assertActsFor(actor, clientId);
    const rows = await tasksOf(actor)
      .select('tasks.task_id')
      .where('tasks.client_id', '=', clientId)
      .orderBy('tasks.group_id')
      .execute();
    for (const { task_id: id } of rows) await performAction(actor, id, 'delete');
    return rows.length;
  });
}

/** Removes deleted tasks for good after 30 days. Those that were submitted are records, and stay. */
export async function purgeTasks(): Promise<void> {
  await db()
    .deleteFrom('tasks')
    .where('deleted_at', '<=', now() - RESTORABLE_FOR)
    .where('submission', '=', 0)
    .execute();
  await db()
    .deleteFrom('task_groups')
    .where('task_count', '=', 0)
    .where('created_at', '<=', now() - RESTORABLE_FOR)
    .where((e) =>
      e.not(
        e.exists(
          e.selectFrom('tasks').select('task_id').whereRef('tasks.group_id', '=', 'task_groups.group_id'),
        ),
      ),
    )
    .execute();
}
