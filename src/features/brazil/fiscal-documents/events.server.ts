import { defineEvent } from '#platform/runtime/events.server.ts';

/** Announced in the transaction that settles where the documents with an access key stand. */
export const documentSettled = defineEvent<{ companyId: string; accessKey: string }>();
