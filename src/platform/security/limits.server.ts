import { sql } from 'kysely';
import { MINUTE, now } from '../runtime/clock.server.ts';
import { sha256 } from './crypto.server.ts';
import { db, withoutSync } from '../database/database.server.ts';
import { PortalError } from '../runtime/errors.server.ts';
import { networksAround } from '../http/networks.server.ts';

/**
 * Consumes `uses` of the limit `key`, or throws TOO_MANY with the seconds to wait if that would exceed `max`
 * within `window` milliseconds; refused uses do not count. Returns how many are used now. Counts are in the
 * database, so they survive a restart and apply to all nodes; a power cut may undo the latest.
 */
export async function consume(key: string, max: number, window: number, uses = 1): Promise<number> {
  const instant = now();
  const hasExpired = sql<boolean>`limits.resets_at <= ${instant}`;
  const counted =
    uses <= max &&
    (await withoutSync(() =>
      db()
        .insertInto('limits')
        .values({ limit_key: key, used: uses, resets_at: instant + window })
        .onConflict((conflict) =>
          conflict
            .column('limit_key')
            .doUpdateSet({
              used: sql<number>`case when ${hasExpired} then ${uses} else limits.used + ${uses} end`,
              resets_at: sql<number>`case when ${hasExpired} then ${instant + window} else limits.resets_at end`,
            })
            .where(sql<boolean>`${hasExpired} or limits.used + ${uses} <= ${max}`),
        )
        .returning('used')
        .executeTakeFirst(),
    ));
  if (counted) return counted.used;
  const row = await db()
    .selectFrom('limits')
    .select('resets_at')
    .where('limit_key', '=', key)
    .executeTakeFirst();
  throw new PortalError('TOO_MANY', {
    retryAfter: Math.max(1, Math.ceil(((row?.resets_at ?? instant + window) - instant) / 1000)),
  });
}

/** How many times the limit of one network applies to the provider's network around it. */
const SITE_FACTOR = 10;

const keysOf = (what: string, network: string): { prefix: string; site: string } => {
  const { prefix, site } = networksAround(network);
  return { prefix: `${what}:${sha256(prefix)}`, site: `${what}-site:${sha256(site)}` };
};

/**
 * Consumes one use of `what` for the network of an address, as {@link consume} does: `max` for the network
 * itself, ten times as many for the one around it. Keys contain digests, not addresses.
 */
export async function consumeForNetwork(
  what: string,
  network: string,
  max: number,
  window: number,
): Promise<void> {
  const keys = keysOf(what, network);
  await consume(keys.prefix, max, window);
  await consume(keys.site, max * SITE_FACTOR, window);
}

/** Refunds one use of {@link consumeForNetwork} that turned out to be legitimate. */
export async function refundNetwork(what: string, network: string): Promise<void> {
  await withoutSync(() =>
    db()
      .updateTable('limits')
      .set((e) => ({ used: e('used', '-', 1) }))
      .where('limit_key', 'in', Object.values(keysOf(what, network)))
      .where('used', '>', 0)
      .where('resets_at', '>', now())
      .execute(),
  );
}

/** How many uses of `key` are consumed now. */
export async function consumedCount(key: string): Promise<number> {
  const row = await db()
    .selectFrom('limits')
    .select('used')
    .where('limit_key', '=', key)
    .where('resets_at', '>', now())
    .executeTakeFirst();
  return row?.used ?? 0;
}

/** Marks `key` as started for `window` ms. Returns false, without an effect, if it already is. */
export async function startOnce(key: string, window: number): Promise<boolean> {
  const instant = now();
  const started = { used: 1, resets_at: instant + window };
  const hasExpired = sql<boolean>`limits.resets_at <= ${instant}`;
  const row = await db()
    .insertInto('limits')
    .values({ limit_key: key, ...started })
    .onConflict((conflict) => conflict.column('limit_key').doUpdateSet(started).where(hasExpired))
    .returning('used')
    .executeTakeFirst();
  return row !== undefined;
}

const HELD_FOR = 2 * MINUTE;

/**
 * Does work on one node at a time; nothing while another one does it. A node that dies keeps the others from it for two
 * minutes.
 */
export async function exclusively(key: string, work: () => Promise<void>): Promise<void> {
  if (!(await startOnce(key, HELD_FOR))) return;
  const renew = () =>
    db()
      .updateTable('limits')
      .set({ resets_at: now() + HELD_FOR })
      .where('limit_key', '=', key)
      .execute();
  const renewing = setInterval(() => void renew().catch(() => undefined), HELD_FOR / 4); // tried again
  try {
    await work();
  } finally {
    clearInterval(renewing);
    await resetLimits(key);
  }
}

/** Whether `key` is marked by {@link startOnce}. */
export const hasStarted = async (key: string): Promise<boolean> => (await consumedCount(key)) > 0;

/** Resets these limits, after a successful attempt. */
export async function resetLimits(...keys: readonly string[]): Promise<void> {
  await withoutSync(() => db().deleteFrom('limits').where('limit_key', 'in', keys).execute());
}

export async function sweepLimits(): Promise<void> {
  await db().deleteFrom('limits').where('resets_at', '<', now()).execute();
}
