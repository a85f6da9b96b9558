import { defineEvent } from '#platform/runtime/events.server.ts';

/** Announced in the transaction that settles where the documents with access keys stand. */
export const documentsSettled = defineEvent<{ companyId: string; accessKeys: readonly string[] }>();
