import { startEmailChange } from '#features/identity/credentials/email-change.server.ts';
import { actorNow, actorOf, assertRecentlyAuthenticated } from '#features/base/people/people.server.ts';
import type { Session } from '#features/base/people/people.ts';
import { DAY } from '#platform/runtime/clock.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { consume } from '#platform/security/limits.server.ts';
import { assertOnlyOwnClients, isOnlyHere, managedPerson } from './management.server.ts';

const MAX_PER_DAY = 20;

/**
 * Requests a new email address for a person: for oneself, or by staff for someone who is only in their firm, since
 * the address is the person's own. FORBIDDEN for people of several firms. STEP_UP unless recently authenticated.
 */
export async function requestEmailChange(session: Session, contactId: string, email: string): Promise<void> {
  assertRecentlyAuthenticated(session);
  if (session.viewing) throw new PortalError('EMULATION_READ_ONLY');
  await consume(`email-change:${session.actor.contactId}`, MAX_PER_DAY, DAY);
  await inTransaction(async () => {
    const actor = await actorNow(session.actor);
    const isOwn = actor.contactId === contactId;
    const person = isOwn ? await actorOf(contactId) : await managedPerson(actor, contactId);
    if (!isOwn) await assertOnlyOwnClients(actor, contactId);
    if (!isOwn && !(await isOnlyHere(person))) throw new PortalError('FORBIDDEN', { because: 'elsewhere' });
    await startEmailChange(actor, person, email);
  });
}
