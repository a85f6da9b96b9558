import { db } from '#platform/database/database.server.ts';
import { inFlightResponses } from '#platform/http/in-flight.server.ts';

/** Downloads in flight, by recipient of the link. */
const downloads = inFlightResponses();

/** Registers a download to be aborted when its link ends. */
export const noteUnderWay = downloads.track;

/**
 * Aborts downloads whose link has ended since they began, on whatever node; returns their number
 * (threat-model.md T38).
 */
export async function abortTransfersOfEnded(): Promise<number> {
  const recipients = downloads.owners();
  if (recipients.length === 0) return 0;
  const ended = await db()
    .selectFrom('share_recipients')
    .innerJoin('shares', 'shares.share_id', 'share_recipients.share_id')
    .select('recipient_id')
    .where('recipient_id', 'in', recipients)
    .where((e) =>
      e.or([e('share_recipients.revoked_at', 'is not', null), e('shares.revoked_at', 'is not', null)]),
    )
    .execute();
  return downloads.abort(new Set(ended.map((row) => row.recipient_id)));
}
