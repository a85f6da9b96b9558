import type { TaxIdKind } from '#platform/inputs/tax-ids.ts';
import { defineEvent } from '#platform/runtime/events.server.ts';

/**
 * A session ended, on whichever device, and not that of staff viewing as the contact. `sessionId`: the first session of the
 * sign-in, if somebody ended it and it did not just expire.
 */
export const contactSessionEnded = defineEvent<{ contactId: string; sessionId?: string }>();

/** Announced in the transaction that stores the tax ids of clients, with all that each has now. */
export const taxIdsStored =
  defineEvent<readonly { clientId: string; taxIds: readonly { kind: TaxIdKind; number: string }[] }[]>();

/**
 * Announced before a client to which nothing refers is deleted: what was added with it goes, too. What stays and refers to
 * it keeps the client.
 */
export const clientRemoving = defineEvent<{ clientId: string }>();
