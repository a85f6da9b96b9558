import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, withoutSync } from '#platform/database/database.server.ts';
import { sharedRead } from '#platform/database/shared-reads.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';

/** The maximum number of openings that are announced to a sender at once. */
export const MAX_OPENINGS = 100;

/** A link that was opened for the first time, which its sender has not seen in the list of shares. */
export interface Opening {
  recipientId: string;
  shareId: string;
  emailAddress: string;
  /** True once a message on a page has announced it. */
  isAnnounced: boolean;
  /** The clients whose documents were shared. */
  clientIds: string[];
}

/** Records that a link was opened for the first time. */
export async function recordOpening(recipientId: string, senderId: string): Promise<void> {
  await db()
    .insertInto('share_openings')
    .values({ recipient_id: recipientId, contact_id: senderId, opened_at: now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Lists the openings that the actor has not seen yet, the newest first. */
export const newOpenings = sharedRead(readOpenings, ({ contactId }) => contactId);

async function readOpenings(actor: Actor): Promise<Opening[]> {
  const rows = await db()
    .selectFrom('share_openings')
    .innerJoin('share_recipients', 'share_recipients.recipient_id', 'share_openings.recipient_id')
    .select([
      'share_openings.recipient_id',
      'share_openings.is_announced',
      'share_recipients.share_id',
      'share_recipients.email',
    ])
    .where('share_openings.contact_id', '=', actor.contactId)
    .orderBy('share_openings.opened_at', 'desc')
    .orderBy('share_openings.recipient_id')
    .limit(MAX_OPENINGS)
    .execute();
  if (rows.length === 0) return [];
  const clients = Map.groupBy(
    await db()
      .selectFrom('share_clients')
      .selectAll()
      .where('share_id', 'in', [...new Set(rows.map((row) => row.share_id))])
      .where('client_id', 'in', clientIdsOf(actor))
      .execute(),
    (row) => row.share_id,
  );
  return rows.map((row) => ({
    recipientId: row.recipient_id,
    shareId: row.share_id,
    emailAddress: decryptFrom('share_recipients.email', row.recipient_id, row.email),
    isAnnounced: row.is_announced === 1,
    clientIds: (clients.get(row.share_id) ?? []).map((client) => client.client_id),
  }));
}

/** Returns the openings that are not announced yet, and marks them as announced. */
export async function openingsToAnnounce({
  session: { actor, viewing },
  openings,
}: Pick<App.Locals, 'session' | 'openings'>): Promise<Opening[]> {
  if (viewing) return [];
  const unannounced = (await openings).filter(({ isAnnounced }) => !isAnnounced);
  if (unannounced.length > 0)
    await withoutSync(() =>
      db()
        .updateTable('share_openings')
        .set({ is_announced: 1 })
        .where('contact_id', '=', actor.contactId)
        .where('recipient_id', 'in', idsOf(unannounced))
        .execute(),
    );
  return unannounced;
}

/**
 * Records that the sender has now seen the openings of a share, or of all shares of a client, and returns the ids of
 * their recipients. Staff who view the portal as the sender see them, too, but this is not recorded.
 */
export async function seenOpenings(
  locals: Pick<App.Locals, 'session' | 'openings'>,
  { shareId, clientId = '' }: { shareId: string | undefined; clientId: string | undefined },
): Promise<Set<string>> {
  const openings = await locals.openings;
  const seen = openings.filter(
    (opening) => opening.shareId === shareId || opening.clientIds.includes(clientId),
  );
  if (seen.length === 0) return new Set();
  locals.openings = Promise.resolve(openings.filter((opening) => !seen.includes(opening)));
  const { actor, viewing } = locals.session;
  if (!viewing)
    await withoutSync(() =>
      db()
        .deleteFrom('share_openings')
        .where('contact_id', '=', actor.contactId)
        .where('recipient_id', 'in', idsOf(seen))
        .execute(),
    );
  return new Set(idsOf(seen));
}

const idsOf = (openings: readonly Opening[]): string[] => openings.map(({ recipientId }) => recipientId);
