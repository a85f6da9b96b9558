import { defineEvent } from '#platform/runtime/events.server.ts';

/** Staff sent a mail again, as another one. */
export const mailResent = defineEvent<{ mailId: string }>();
