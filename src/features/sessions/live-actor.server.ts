import { actorOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';

/**
 * Loads the contact unless the firm is locked, in which case `onLockOut` is called. NOT_FOUND if there is no
 * such contact.
 */
export async function liveActor(contactId: string, onLockOut?: () => void): Promise<Actor | undefined> {
  const actor = await actorOf(contactId);
  if (actor.firmLocked) onLockOut?.();
  return actor.firmLocked ? undefined : actor;
}
