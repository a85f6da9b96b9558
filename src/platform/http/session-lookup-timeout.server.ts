import { SECOND } from '../runtime/clock.server.ts';
import { PortalError } from '../runtime/errors.server.ts';
import { log } from '../monitoring/log.server.ts';

/** How long a guard waits for the session (spec 1 section 9, client guard timeout). */
const SESSION_LOOKUP_TIMEOUT = 5 * SECOND;

/**
 * Resolves to what the guard needs to decide, or throws UNAVAILABLE and logs it after five seconds: without a
 * decision access is denied (spec 1 section 8).
 */
export async function withSessionLookupTimeout<T>(bindings: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      log.error({ event: 'guard.late', kind: 'Session Bindings Not Loaded' });
      reject(new PortalError('UNAVAILABLE'));
    }, SESSION_LOOKUP_TIMEOUT);
  });
  try {
    return await Promise.race([bindings, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
