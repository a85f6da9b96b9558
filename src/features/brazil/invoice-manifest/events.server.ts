import { defineEvent } from '#platform/runtime/events.server.ts';

/** Somebody has marked what an invoice should be told to be, and another person has to accept it; `name` is the invoice. */
export const intentMarked = defineEvent<{
  companyId: string;
  clientId: string;
  intentId: string;
  name: string;
}>();

/** Nobody has to accept these any more. */
export const intentsSettled = defineEvent<{ intentIds: readonly string[] }>();

/** The authority has refused to register what was accepted; `name` is the invoice. */
export const intentRejected = defineEvent<{
  companyId: string;
  clientId: string;
  intentId: string;
  name: string;
}>();
