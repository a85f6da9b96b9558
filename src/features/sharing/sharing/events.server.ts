import { defineEvent } from '#platform/runtime/events.server.ts';

/** The recipient of a link that has ended asks its sender for a new one. */
export const linkRequested = defineEvent<{
  companyId: string;
  clientId: string | null;
  recipientId: string;
  email: string;
  senderId: string;
}>();

/** A share was sent again to one of its recipients. */
export const linkSentAgain = defineEvent<{ recipientId: string }>();
