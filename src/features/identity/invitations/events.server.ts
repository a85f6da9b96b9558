import { defineEvent } from '#platform/runtime/events.server.ts';

/** An invitation was sent again, accepted or revoked: nothing has to be done about its last link. */
export const invitationSettled = defineEvent<{ invitationId: string }>();

/** An invitation expired without an answer; announced every hour for two days. */
export const invitationExpired = defineEvent<{
  invitationId: string;
  companyId: string;
  invitedBy: string;
  email: string;
  /** The number of clients that they will be responsible for. */
  responsible: number;
}>();
