import { defineEvent } from '#platform/events.server.ts';

/** All reminders of a task went unanswered. */
export const taskUnanswered = defineEvent<{
  taskId: string;
  companyId: string;
  clientId: string;
  /** The label of the task, or empty. */
  label: string;
}>();
