import { titleForFirm } from '#features/tasks/tasks/titles.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { addDays, dayOf } from '#platform/text/time-zones.ts';
import { taskUnanswered } from './events.server.ts';
import { OVERDUE_WEEKS } from './schedule.ts';

const WEEKS = OVERDUE_WEEKS * 7;
/** Tasks that one sweep reports. */
const MAX_REPORTED = 200;

/**
 * Tells the firm of tasks that nobody answered for eight weeks after the due date, or without one after they were
 * requested: each once, until it is requested again.
 */
export async function reportUnanswered(): Promise<void> {
  const waiting = await db()
    .selectFrom('tasks')
    .innerJoin('firms', 'firms.company_id', 'tasks.company_id')
    .innerJoin('clients', 'clients.client_id', 'tasks.client_id')
    .leftJoin('unanswered_tasks as noted', 'noted.task_id', 'tasks.task_id')
    .select([
      'tasks.task_id',
      'tasks.company_id',
      'tasks.client_id',
      'tasks.type',
      'tasks.kind',
      'tasks.label',
      'tasks.tax_year',
      'tasks.form_id',
      'tasks.due_on',
      'tasks.asked_at',
      'firms.time_zone',
    ])
    .where('tasks.status', 'in', ['New', 'WIP'])
    .where('tasks.deleted_at', 'is', null)
    .where('clients.archived_at', 'is', null)
    .where('firms.locked', '=', 0)
    .where('tasks.asked_at', '<', now() - (WEEKS - 1) * DAY)
    .where((e) =>
      e.or([
        e('tasks.due_on', 'is', null),
        e('tasks.due_on', '<=', addDays(dayOf(now() + DAY, 'UTC'), -WEEKS)),
      ]),
    )
    .where((e) => e.or([e('noted.task_id', 'is', null), e('noted.noted_at', '<', e.ref('tasks.asked_at'))]))
    .limit(MAX_REPORTED)
    .execute();
  for (const row of waiting) {
    const since = row.due_on ?? dayOf(row.asked_at, row.time_zone);
    if (addDays(since, WEEKS) > dayOf(now(), row.time_zone)) continue;
    await inTransaction(async () => {
      const added = await db()
        .insertInto('unanswered_tasks')
        .values({ task_id: row.task_id, noted_at: now() })
        .onConflict((conflict) =>
          conflict
            .column('task_id')
            .doUpdateSet({ noted_at: now() })
            .where('unanswered_tasks.noted_at', '<', row.asked_at),
        )
        .returning('task_id')
        .executeTakeFirst();
      if (added)
        await taskUnanswered.announce({
          taskId: row.task_id,
          companyId: row.company_id,
          clientId: row.client_id,
          title: await titleForFirm(row),
        });
    });
  }
}
