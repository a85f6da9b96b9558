import type { Actor } from '#features/base/people/people.ts';
import { SECOND } from '#platform/runtime/clock.server.ts';
import { PortalError, unlessStorageIsFull } from '#platform/runtime/errors.server.ts';
import { consume } from '#platform/security/limits.server.ts';

const MAX_SEARCHES = 30;
const WINDOW = 10 * SECOND;

/** Whether somebody searches so often that it is no person who types. */
export async function searchesTooOften({ contactId, viewedBy }: Actor): Promise<boolean> {
  try {
    await unlessStorageIsFull(() => consume(`search:${viewedBy ?? contactId}`, MAX_SEARCHES, WINDOW));
    return false;
  } catch (error) {
    if (error instanceof PortalError && error.code === 'TOO_MANY') return true;
    throw error;
  }
}
