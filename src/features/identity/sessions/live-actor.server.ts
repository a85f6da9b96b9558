import { actorOf, type CurrentActor } from '#features/base/people/people.server.ts';

/**
 * Whether the firm requires a second factor of somebody who signed in without one: it may have begun to, after that.
 */
export const lacksSecondStep = (
  { secondStepRequired }: Pick<CurrentActor, 'secondStepRequired'>,
  amr: readonly string[],
): boolean => secondStepRequired && !amr.includes('mfa');

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
