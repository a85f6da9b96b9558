import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import { hasArea, isReadOnly, type Actor } from '#features/base/people/people.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';

/* Who takes part: contacts with the service requests fill in, staff who publish return and close, managers of the firm say what is asked. */

export const seesEntries = ({ staff, access }: Actor): boolean => staff || hasArea(access, 'service-request');

/** Whether somebody changes and publishes lists, which are asked of all clients of the firm. */
export const setsLists = ({ staff, access }: Actor): boolean => staff && access.permissions.has('ManageFirm');

export function assertSetsLists(actor: Actor): void {
  if (!setsLists(actor)) throw new PortalError('FORBIDDEN');
}

/** Whether somebody returns, closes, reopens and exports sheets. */
export const keepsEntries = ({ staff, access }: Actor): boolean => staff && access.permissions.has('Publish');

/** Whether somebody fills in sheets: contacts, and on their behalf staff who publish. */
export const writesEntries = (actor: Actor): boolean =>
  actor.staff ? keepsEntries(actor) : seesEntries(actor) && !isReadOnly(actor);

export function assertSees(actor: Actor): void {
  if (!seesEntries(actor)) throw new PortalError('FORBIDDEN');
}

export function assertKeeps(actor: Actor): void {
  if (!keepsEntries(actor)) throw new PortalError('FORBIDDEN');
}

export function assertWrites(actor: Actor): void {
  if (!writesEntries(actor)) throw new PortalError('FORBIDDEN');
}

/** Changes something as the actor of now, in a transaction; FORBIDDEN unless `assertMay` lets them. */
export async function asCurrent<Result>(
  actor: Actor,
  assertMay: (actor: Actor) => void,
  work: (current: Actor) => Promise<Result>,
): Promise<Result> {
  assertMay(actor);
  return inTransaction(async () => {
    const current = await actorNow(actor);
    assertMay(current);
    return work(current);
  });
}

/** The firm's day. */
export const todayOf = async (companyId: string): Promise<string> =>
  dayOf(now(), (await firmOf(companyId)).timeZone);
