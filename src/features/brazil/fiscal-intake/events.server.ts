import { defineEvent } from '#platform/runtime/events.server.ts';

/** Announced in the transaction that sets a file aside for the firm, or that decides about it. */
export const setAsideAdded = defineEvent<{
  companyId: string;
  clientId: string;
  setAsideId: string;
  name: string;
}>();
export const setAsideResolved = defineEvent<{ setAsideId: string }>();
