import { actorOf, type CurrentActor } from '#features/people/people.server.ts';

/**
 * Loads the contact unless the firm is locked, in which case `onLockOut` is called. NOT_FOUND if there is no
 * such contact.
 */
export async function liveActor(
  contactId: string,
  onLockOut?: () => void,
): Promise<CurrentActor | undefined> {
  const actor = await actorOf(contactId);
  if (actor.firmLocked) onLockOut?.();
  return actor.firmLocked ? undefined : actor;
}
