import type { ServerResponse } from 'node:http';
import { lockedFirmIds } from '#features/base/firms/firms.server.ts';
import { inFlightResponses } from '#platform/http/in-flight.server.ts';

/** Responses in flight, by firm. */
const answers = inFlightResponses();

/** Registers a response to be aborted when its firm is locked; the returned function sets the firm. */
export function inFlightFor(response: ServerResponse): (companyId: string) => void {
  return (companyId) => answers.track(response, companyId);
}

/**
 * Aborts the transfers of people of locked firms and of visitors of their links; returns their number. Called
 * every two seconds on each node.
 */
export async function abortTransfersOfLocked(): Promise<number> {
  return answers.owners().length === 0 ? 0 : answers.abort(new Set(await lockedFirmIds()));
}
