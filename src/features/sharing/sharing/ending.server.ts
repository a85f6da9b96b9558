import { now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';

/**
 * Ends every share and visit, and returns the number of shares: after a restore nobody knows which of them
 * were revoked before.
 */
export async function revokeAllShares(): Promise<number> {
  await db().deleteFrom('share_visits').execute();
  const { numUpdatedRows } = await db()
    .updateTable('shares')
    .set({ revoked_at: now() })
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now())
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Removes expired visits, and ends expired links permanently: they stay so when the clock is set back. */
export async function sweepShares(): Promise<void> {
  await db().deleteFrom('share_visits').where('expires_at', '<', now()).execute();
  await db()
    .updateTable('shares')
    .set((e) => ({ revoked_at: e.ref('expires_at') }))
    .where('revoked_at', 'is', null)
    .where('expires_at', '<=', now())
    .execute();
}
