import { defineEvent } from '#platform/events.server.ts';

/** A session ended, on whichever device, and not that of staff viewing as the contact. */
export const contactSessionEnded = defineEvent<{ contactId: string }>();
