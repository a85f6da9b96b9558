import type { ServerResponse } from 'node:http';
import { lockedFirmIds } from '#features/firms/firms.server.ts';
import { inFlightResponses } from '#platform/in-flight.server.ts';

/** Answers by the firm whose papers they carry. */
const answers = inFlightResponses();

/** Lets an answer be cut off when its firm is locked; the function that it gives back names the firm. */
export function inFlightFor(response: ServerResponse): (companyId: string) => void {
  return (companyId) => answers.track(response, companyId);
}

/**
 * Breaks off what the people of locked firms, and whoever has a link of theirs, are fetching or sending;
 * answers how many. Asked every two seconds on each node.
 */
export async function abortTransfersOfLocked(): Promise<number> {
  return answers.owners().length === 0 ? 0 : answers.abort(new Set(await lockedFirmIds()));
}
