import { defineEvent } from '#platform/events.server.ts';

/** An invitation was sent again, accepted or revoked: nothing has to be done about its last link. */
export const invitationSettled = defineEvent<{ invitationId: string }>();
