import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';

/** Whether somebody keeps certificates: staff who publish. Contacts see those of their clients. */
export const keepsCertificates = ({ staff, access }: Actor): boolean =>
  staff && access.permissions.has('Publish');

/** Throws FORBIDDEN for those who do not keep certificates. */
export function assertKeeps(actor: Actor): void {
  if (!keepsCertificates(actor)) throw new PortalError('FORBIDDEN');
}

/** Changes something as the actor of now, in a transaction; FORBIDDEN. */
export async function asKeeper<Result>(
  actor: Actor,
  work: (current: Actor) => Promise<Result>,
): Promise<Result> {
  assertKeeps(actor);
  return inTransaction(async () => {
    const current = await actorNow(actor);
    assertKeeps(current);
    return work(current);
  });
}

/** The firm's day. */
export const todayOf = async ({ companyId }: Pick<Actor, 'companyId'>): Promise<string> =>
  dayOf(now(), (await firmOf(companyId)).timeZone);
