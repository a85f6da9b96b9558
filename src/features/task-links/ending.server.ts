import { now } from '#platform/clock.server.ts';
import { db } from '#platform/database.server.ts';

/** Ends every link and visit: after a restore nobody knows which of them were revoked before. */
export async function revokeAllTaskLinks(): Promise<void> {
  await db().deleteFrom('task_link_visits').execute();
  await db().updateTable('task_links').set({ revoked_at: now() }).where('revoked_at', 'is', null).execute();
}

/** Removes expired visits, and ends expired links for good: they stay so when the clock is set back. */
export async function sweepTaskLinks(): Promise<void> {
  await db().deleteFrom('task_link_visits').where('expires_at', '<', now()).execute();
  await db()
    .updateTable('task_links')
    .set((e) => ({ revoked_at: e.ref('expires_at') }))
    .where('revoked_at', 'is', null)
    .where('expires_at', '<=', now())
    .execute();
}
