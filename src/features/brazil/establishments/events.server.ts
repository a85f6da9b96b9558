import { defineEvent } from '#platform/runtime/events.server.ts';

/**
 * Announced in the transaction of a merge in which two clients had the same establishment: what names the one that is
 * removed names the other one from now on.
 */
export const establishmentsUnited = defineEvent<{ removed: string; kept: string }>();
