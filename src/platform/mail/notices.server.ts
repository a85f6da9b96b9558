import { DAY, now } from '../runtime/clock.server.ts';
import { db, inTransaction } from '../database/database.server.ts';
import { enqueue } from '../jobs/jobs.server.ts';

/** A debounced notification, sent by the job `kind` with this payload. */
interface Notice {
  kind: string;
  key: string;
  payload: unknown;
  companyId: string;
}

/** Minimum interval between two of a key, and delay before the first (ms). */
interface Timing {
  pause: number;
  quiet?: number;
}

/**
 * Schedules a notification: after `quiet` if none was sent within `pause`, else at the end of the pause,
 * together with everything until then. The job sends what is new since the last time, which may be nothing.
 */
export async function scheduleNotification({ pause, quiet = 0, ...notice }: Notice & Timing): Promise<void> {
  await inTransaction(async () => {
    const known = await db()
      .selectFrom('notices')
      .select('due_at')
      .where('notice_key', '=', notice.key)
      .executeTakeFirst();
    if (known && known.due_at > now()) return; // the pending job includes this
    await scheduleAt(notice, Math.max(now() + quiet, (known?.due_at ?? -pause) + pause));
  });
}

/** Postpones a notification to `due` (epoch ms), because more is still arriving. */
export const postponeNotification = (notice: Notice, due: number): Promise<void> =>
  inTransaction(() => scheduleAt(notice, due));

async function scheduleAt({ kind, key, payload, companyId }: Notice, due: number): Promise<void> {
  await db()
    .insertInto('notices')
    .values({ notice_key: key, company_id: companyId, due_at: due, told_at: 0 })
    .onConflict((conflict) => conflict.column('notice_key').doUpdateSet({ due_at: due }))
    .execute();
  await enqueue(kind, payload, `${key}@${due}`, companyId, due);
}

/** Up to which time a key was notified. */
export const notifiedUpTo = async (key: string): Promise<number> =>
  (await db().selectFrom('notices').select('told_at').where('notice_key', '=', key).executeTakeFirst())
    ?.told_at ?? 0;

export async function markNotified(key: string, upTo: number): Promise<void> {
  await db().updateTable('notices').set({ told_at: upTo }).where('notice_key', '=', key).execute();
}

const RETENTION = DAY;

/** Deletes notices whose pause ended long ago. */
export async function sweepNotices(): Promise<void> {
  await db()
    .deleteFrom('notices')
    .where('due_at', '<', now() - RETENTION)
    .execute();
}
