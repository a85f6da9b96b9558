import type { ServerResponse } from 'node:http';
import { lockedFirmIds } from '#features/firms/firms.server.ts';

/** Answers under way, by the firm whose papers they carry. */
const underWay = new Map<ServerResponse, string>();

/** Lets an answer be cut off when its firm is locked; the function that it gives back names the firm. */
export function underWayFor(response: ServerResponse): (companyId: string) => void {
  return (companyId) => {
    if (response.closed) return;
    if (!underWay.has(response)) response.once('close', () => underWay.delete(response));
    underWay.set(response, companyId);
  };
}

/** Breaks off what the people of locked firms, and whoever has a link of theirs, are fetching or sending; answers how many. Asked every two seconds on each node. */
export async function cutOffLocked(): Promise<number> {
  if (underWay.size === 0) return 0;
  const locked = new Set(await lockedFirmIds());
  const cut = [...underWay].filter(([, companyId]) => locked.has(companyId));
  for (const [response] of cut) response.destroy();
  return cut.length;
}
