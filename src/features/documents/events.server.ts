import { defineEvent } from '#platform/events.server.ts';

/** A document is stored; announced in the transaction that adds it. */
export const documentAdded = defineEvent<{ documentId: string; companyId: string }>();
