import { defineEvent } from '#platform/runtime/events.server.ts';

/** A message that both sides see was added; announced in the transaction that adds it. */
export const clientMessageAdded = defineEvent<{
  messageId: string;
  companyId: string;
  clientId: string;
  byStaff: boolean;
}>();

/** The messages of a client are no longer pending for the firm: staff have read them. */
export const clientMessagesHandled = defineEvent<{ companyId: string; clientId: string }>();

/** A person has read messages that they had not. */
export const clientMessagesRead = defineEvent<{ contactId: string; clientId: string }>();

/** A message was withdrawn. */
export const clientMessageWithdrawn = defineEvent<{ messageId: string }>();
