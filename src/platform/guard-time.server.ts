import { SECOND } from './clock.server.ts';
import { PortalError } from './errors.server.ts';
import { log } from './log.server.ts';

/** How long a guard waits to learn who is there (spec 1 section 9, client guard time-out). */
const GUARD_TIME = 5 * SECOND;

/** What the guard needs to decide, or UNAVAILABLE and a line of the log when it does not come within five seconds: in doubt nobody passes (spec 1 section 8). */
export async function withinGuardTime<T>(bindings: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      log.error({ event: 'guard.late', kind: 'Session Bindings Not Loaded' });
      reject(new PortalError('UNAVAILABLE'));
    }, GUARD_TIME);
  });
  try {
    return await Promise.race([bindings, late]);
  } finally {
    clearTimeout(timer);
  }
}
