import { actorOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { refusal } from '#platform/errors.server.ts';

/** The contact, unless there is none any more or the firm is locked; of the latter `onLockOut` is told. */
export async function liveActor(contactId: string, onLockOut?: () => void): Promise<Actor | undefined> {
  const actor = await actorOf(contactId).catch((error: unknown) => {
    if (refusal(error)?.code === 'NOT_FOUND') return undefined;
    throw error;
  });
  if (actor?.firmLocked) onLockOut?.();
  return actor?.firmLocked ? undefined : actor;
}
