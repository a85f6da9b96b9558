import { defineEvent } from '#platform/runtime/events.server.ts';

/** All reminders of a task went unanswered. */
export const taskUnanswered = defineEvent<{
  taskId: string;
  companyId: string;
  clientId: string;
  /** In the language of the firm. */
  title: string;
}>();
