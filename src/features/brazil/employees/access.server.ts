import { actorNow } from '#features/base/people/people.server.ts';
import { hasArea, type Actor } from '#features/base/people/people.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';

/** Whether somebody sees employees: staff, and contacts with the service requests. */
export const seesEmployees = ({ staff, access }: Actor): boolean =>
  staff || hasArea(access, 'service-request');

/** Whether somebody changes employees: staff who publish. Contacts ask for changes by requests. */
export const keepsEmployees = ({ staff, access }: Actor): boolean =>
  staff && access.permissions.has('Publish');

export function assertSees(actor: Actor): void {
  if (!seesEmployees(actor)) throw new PortalError('FORBIDDEN');
}

export function assertKeeps(actor: Actor): void {
  if (!keepsEmployees(actor)) throw new PortalError('FORBIDDEN');
}

/** Changes employees as the actor of now, in a transaction; FORBIDDEN. */
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
