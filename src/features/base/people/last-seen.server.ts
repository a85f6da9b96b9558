import { db } from '#platform/database/database.server.ts';
import type { Actor } from './people.ts';

/**
 * The last visit of each of these people: by their sessions, and by their actions, which outlive those. Being viewed
 * as by staff is not a visit.
 */
export async function lastSeenOf(
  actor: Pick<Actor, 'companyId'>,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const sessions = await db()
    .selectFrom('sessions')
    .select((e) => ['contact_id', e.fn.max('last_seen_at').as('at')])
    .where('contact_id', 'in', ids)
    .where('viewer_contact_id', 'is', null)
    .groupBy('contact_id')
    .execute();
  const acts = await db()
    .selectFrom('audit')
    .select((e) => ['actor as contact_id', e.fn.max('at').as('at')])
    .where('company_id', '=', actor.companyId)
    .where('actor', 'in', ids)
    .groupBy('actor')
    .execute();
  const seen = new Map<string, number>();
  for (const { contact_id: id, at } of [...sessions, ...acts])
    seen.set(id, Math.max(seen.get(id) ?? 0, Number(at)));
  return seen;
}
