import type { ServerResponse } from 'node:http';
import { lockedFirmIds } from '#features/firms/firms.server.ts';
import { answersUnderWay } from '#platform/under-way.server.ts';

/** Answers by the firm whose papers they carry. */
const answers = answersUnderWay();

/** Lets an answer be cut off when its firm is locked; the function that it gives back names the firm. */
export function underWayFor(response: ServerResponse): (companyId: string) => void {
  return (companyId) => answers.note(response, companyId);
}

/** Breaks off what the people of locked firms, and whoever has a link of theirs, are fetching or sending; answers how many. Asked every two seconds on each node. */
export async function cutOffLocked(): Promise<number> {
  return answers.owners().length === 0 ? 0 : answers.cutOff(new Set(await lockedFirmIds()));
}
