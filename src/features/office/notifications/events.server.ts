import { defineEvent } from '#platform/runtime/events.server.ts';

/** Somebody is told something, once more if it was told before and not read; announced in the transaction. */
export const notificationsAdded = defineEvent<{
  kind: string;
  companyId: string;
  /** When this happened: `changed_at` of the notifications until it happens again. */
  at: number;
  added: readonly { notificationId: string; contactId: string }[];
}>();
