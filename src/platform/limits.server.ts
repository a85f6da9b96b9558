import { sql } from 'kysely';
import { now } from './clock.server.ts';
import { db } from './database.server.ts';
import { PortalError } from './errors.server.ts';

/**
 * Counts one use of `key` and refuses the use after `most` within `window` milliseconds with TOO_MANY and the seconds to wait.
 * The count stands in the database: it survives a restart and holds for all nodes.
 */
export async function spend(key: string, most: number, window: number): Promise<void> {
  const instant = now();
  const row = await db()
    .insertInto('limits')
    .values({ limit_key: key, used: 1, resets_at: instant + window })
    .onConflict((conflict) =>
      conflict.column('limit_key').doUpdateSet({
        used: sql<number>`case when limits.resets_at <= ${instant} then 1 else limits.used + 1 end`,
        resets_at: sql<number>`case when limits.resets_at <= ${instant} then ${instant + window} else limits.resets_at end`,
      }),
    )
    .returning(['used', 'resets_at'])
    .executeTakeFirstOrThrow();
  if (row.used > most) throw new PortalError('TOO_MANY', { retryAfter: Math.ceil((row.resets_at - instant) / 1000) });
}

/** Forgets what was spent on `key`, when the right answer came. */
export async function forgive(key: string): Promise<void> {
  await db().deleteFrom('limits').where('limit_key', '=', key).execute();
}

export async function sweepLimits(): Promise<void> {
  await db().deleteFrom('limits').where('resets_at', '<', now()).execute();
}
