import { config } from '#platform/config.server.ts';
import { HOUR, MINUTE } from '#platform/clock.server.ts';

/** How long a session lasts, in milliseconds (spec 1 section 4): when it is left alone, and at most. */
export const IDLE = config.sessionIdleMinutes * MINUTE;
export const ABSOLUTE = config.sessionHours * HOUR;
