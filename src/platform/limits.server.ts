import { sql } from 'kysely';
import { now } from './clock.server.ts';
import { db } from './database.server.ts';
import { PortalError } from './errors.server.ts';

/**
 * Counts `uses` of `key`, or refuses them all with TOO_MANY and the seconds to wait when more than `most` would fall within `window`
 * milliseconds. Answers how many are used now. What is refused is not counted. The count stands in the database: it survives a restart
 * and holds for all nodes.
 */
export async function spend(key: string, most: number, window: number, uses = 1): Promise<number> {
  const instant = now();
  const isOver = sql<boolean>`limits.resets_at <= ${instant}`;
  const counted =
    uses <= most &&
    (await db()
      .insertInto('limits')
      .values({ limit_key: key, used: uses, resets_at: instant + window })
      .onConflict((conflict) =>
        conflict
          .column('limit_key')
          .doUpdateSet({
            used: sql<number>`case when ${isOver} then ${uses} else limits.used + ${uses} end`,
            resets_at: sql<number>`case when ${isOver} then ${instant + window} else limits.resets_at end`,
          })
          .where(sql<boolean>`${isOver} or limits.used + ${uses} <= ${most}`),
      )
      .returning('used')
      .executeTakeFirst());
  if (counted) return counted.used;
  const row = await db().selectFrom('limits').select('resets_at').where('limit_key', '=', key).executeTakeFirst();
  throw new PortalError('TOO_MANY', { retryAfter: Math.max(1, Math.ceil(((row?.resets_at ?? instant + window) - instant) / 1000)) });
}

/** How much of `key` is used now. */
export async function spentOn(key: string): Promise<number> {
  const row = await db().selectFrom('limits').select('used').where('limit_key', '=', key).where('resets_at', '>', now()).executeTakeFirst();
  return row?.used ?? 0;
}

/** Forgets what was spent on `key`, when the right answer came. */
export async function forgive(key: string): Promise<void> {
  await db().deleteFrom('limits').where('limit_key', '=', key).execute();
}

export async function sweepLimits(): Promise<void> {
  await db().deleteFrom('limits').where('resets_at', '<', now()).execute();
}
