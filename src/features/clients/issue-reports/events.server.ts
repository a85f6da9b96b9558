import { defineEvent } from '#platform/runtime/events.server.ts';

/** Somebody reported a problem; announced in the transaction that stores it. */
export const issueReported = defineEvent<{ companyId: string; code: string }>();

/** A report was answered or closed. */
export const issueSettled = defineEvent<{ code: string }>();
