import { defineEvent } from '#platform/runtime/events.server.ts';

/** A certificate of a client should be renewed soon, or has lapsed; `name` is its agency, in the language of the firm. */
export const certificateLapsing = defineEvent<{
  companyId: string;
  clientId: string;
  clientAgencyId: string;
  name: string;
}>();

/** Nobody has to do anything about these any more: there is a newer certificate, or nobody follows the agency. */
export const lapseSettled = defineEvent<{ clientAgencyIds: readonly string[] }>();
