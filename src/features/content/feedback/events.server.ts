import { defineEvent } from '#platform/runtime/events.server.ts';

/** A contact gave feedback; announced in the transaction that stores it. */
export const feedbackGiven = defineEvent<{ feedbackId: string; companyId: string; author: string }>();

/** Feedback was read by the firm, or is deleted. */
export const feedbackSettled = defineEvent<{ feedbackIds: readonly string[] }>();
