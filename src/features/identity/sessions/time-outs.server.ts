import { config } from '#platform/runtime/config.server.ts';
import { HOUR, MINUTE } from '#platform/runtime/clock.server.ts';

/** The lifetime of a session in milliseconds (spec 1 section 4): idle, and in total. */
export const IDLE = config.sessionIdleMinutes * MINUTE;
export const ABSOLUTE = config.sessionHours * HOUR;
