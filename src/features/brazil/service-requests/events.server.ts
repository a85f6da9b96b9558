import { defineEvent } from '#platform/runtime/events.server.ts';

interface About {
  companyId: string;
  clientId: string;
  requestId: string;
  /** Its number, in the list of the firm. */
  name: string;
}

/** A request waits for the firm: it was sent, answered, corrected or reopened. Announced in the transaction. */
export const requestWaits = defineEvent<About>();
/** A request no longer waits for the firm. */
export const requestSettled = defineEvent<{ companyId: string; requestId: string }>();
/** A client has written about a request that does not wait for the firm by itself. */
export const requestMessageAdded = defineEvent<About & { messageId: string }>();
