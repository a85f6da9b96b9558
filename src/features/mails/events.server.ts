import { defineEvent } from '#platform/events.server.ts';

/** Staff sent a mail again, as another one. */
export const mailResent = defineEvent<{ mailId: string }>();
