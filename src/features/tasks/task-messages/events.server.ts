import { defineEvent } from '#platform/runtime/events.server.ts';

/**
 * A message that both sides see was added to a task; announced in the transaction that adds it. `title` is that of the
 * task, in the language of the firm.
 */
export const taskMessageAdded = defineEvent<{
  messageId: string;
  companyId: string;
  clientId: string;
  taskId: string;
  title: string;
  byStaff: boolean;
}>();

/** The messages on a task are no longer pending for the firm: staff have read them, or the task was deleted. */
export const taskMessagesHandled = defineEvent<{ companyId: string; taskId: string }>();

/** A person has read messages on a task that they had not. */
export const taskMessagesRead = defineEvent<{ contactId: string; taskId: string }>();

/** A message was withdrawn. */
export const taskMessageWithdrawn = defineEvent<{ messageId: string }>();
