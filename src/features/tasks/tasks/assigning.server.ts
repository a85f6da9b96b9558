import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { assertManagesTasks } from './creating.server.ts';
import { lockTask } from './scope.server.ts';

/** Makes a member of staff responsible for a task, or with null nobody. NOT_FOUND for others and their tasks, FORBIDDEN. */
export async function assignTask(actor: Actor, taskId: string, contactId: string | null): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    assertManagesTasks(current);
    const row = await lockTask(current, taskId);
    if (contactId !== null) await assertStaff(row.company_id, contactId);
    if (row.responsible === contactId) return;
    await db()
      .updateTable('tasks')
      .set({ responsible: contactId, changed_at: now() })
      .where('task_id', '=', taskId)
      .execute();
    await audit({
      companyId: row.company_id,
      actor: current.contactId,
      action: 'task.assign',
      target: taskId,
      clientId: row.client_id,
    });
  });
}

async function assertStaff(companyId: string, contactId: string): Promise<void> {
  const row = await db()
    .selectFrom('contacts')
    .select('contact_id')
    .where('contact_id', '=', contactId)
    .where('company_id', '=', companyId)
    .where('staff', '=', 1)
    .where('suspended_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw notFound();
}
