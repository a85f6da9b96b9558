import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';

/*
 * Archives are read one at a time for each user and two for each firm (threat-model.md T65); further ones are
 * queued. The queue is in the rows only, so it is the same for all nodes.
 */

const MAX_OF_USER = 1;
const MAX_OF_FIRM = 2;
/** An archive without progress for so long will never continue: its job is lost. */
const STALLS_AFTER = HOUR;

const inLine = (companyId: string) =>
  db()
    .selectFrom('exports')
    .where('company_id', '=', companyId)
    .where('status', '=', 'PENDING')
    .where('ends_at', '>', now())
    .orderBy('created_at')
    .orderBy('export_id');

/**
 * Starts the next archives of a firm, oldest first; called in the transaction in which one was created or
 * ended.
 */
export async function startWaiting(companyId: string): Promise<void> {
  const rows = await inLine(companyId).select(['export_id', 'contact_id', 'moved_at']).execute();
  const running = rows.flatMap((row) => (row.moved_at === null ? [] : [row.contact_id]));
  for (const { export_id: exportId, contact_id: contactId, moved_at: moved } of rows) {
    if (
      moved !== null ||
      running.length >= MAX_OF_FIRM ||
      running.filter((id) => id === contactId).length >= MAX_OF_USER
    )
      continue;
    running.push(contactId);
    await db().updateTable('exports').set({ moved_at: now() }).where('export_id', '=', exportId).execute();
    await enqueue('export', { exportId }, `${exportId}-0`, companyId);
  }
}

/** Returns the place of a firm's archive in the queue, from 1; 0 if it does not wait. */
export async function placeInLine(companyId: string, exportId: string): Promise<number> {
  const rows = await inLine(companyId).select('export_id').where('moved_at', 'is', null).execute();
  return rows.findIndex((row) => row.export_id === exportId) + 1;
}

/**
 * Gives up archives without progress, such as those whose jobs a restore removed, so that nobody waits for
 * them.
 */
export async function giveUpStalled(): Promise<void> {
  const stalled = await db()
    .selectFrom('exports')
    .select(['export_id', 'company_id', 'total'])
    .where('status', '=', 'PENDING')
    .where('moved_at', '<=', now() - STALLS_AFTER)
    .execute();
  for (const { export_id: exportId, company_id: companyId, total } of stalled) {
    await inTransaction(async () => {
      await db()
        .updateTable('exports')
        .set({ status: 'ERROR', missing: JSON.stringify([...Array(total).keys()]) })
        .where('export_id', '=', exportId)
        .where('status', '=', 'PENDING')
        .execute();
      await startWaiting(companyId);
    });
  }
}
