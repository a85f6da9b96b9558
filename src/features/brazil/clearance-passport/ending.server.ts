import { db } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';

/** Ends every passport: after a restore nobody knows which of them were revoked before. */
export async function revokeAllPassports(): Promise<void> {
  await db()
    .updateTable('cnd_passports')
    .set({ revoked_at: now() })
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now())
    .execute();
}

/** Ends expired passports for good: they stay so when the clock is set back. */
export async function sweepPassports(): Promise<void> {
  await db()
    .updateTable('cnd_passports')
    .set((e) => ({ revoked_at: e.ref('expires_at') }))
    .where('revoked_at', 'is', null)
    .where('expires_at', '<=', now())
    .execute();
}
