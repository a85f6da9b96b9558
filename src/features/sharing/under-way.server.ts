import type { ServerResponse } from 'node:http';
import { db } from '#platform/database.server.ts';

/** Downloads under way, by the recipient whose link they come through. */
const underWay = new Map<ServerResponse, string>();

/** Lets a download be cut off when its link is ended. */
export function noteUnderWay(response: ServerResponse, recipientId: string): void {
  if (response.closed) return;
  underWay.set(response, recipientId);
  response.once('close', () => underWay.delete(response));
}

/** Breaks off downloads whose link was ended since they began, on whatever node; answers how many (security.md T38). */
export async function cutOffEnded(): Promise<number> {
  if (underWay.size === 0) return 0;
  const ended = await db()
    .selectFrom('share_recipients')
    .innerJoin('shares', 'shares.share_id', 'share_recipients.share_id')
    .select('recipient_id')
    .where('recipient_id', 'in', [...new Set(underWay.values())])
    .where((e) => e.or([e('share_recipients.revoked_at', 'is not', null), e('shares.revoked_at', 'is not', null)]))
    .execute();
  const ids = new Set(ended.map((row) => row.recipient_id));
  const cut = [...underWay].filter(([, recipientId]) => ids.has(recipientId));
  for (const [response] of cut) response.destroy();
  return cut.length;
}
