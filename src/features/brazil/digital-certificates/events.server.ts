import { defineEvent } from '#platform/runtime/events.server.ts';

/** The certificate of a client ends soon, has ended, or was refused: somebody has to replace it. `name` is its holder. */
export const certificateWanted = defineEvent<{
  companyId: string;
  clientId: string;
  certificateId: string;
  name: string;
}>();

/** It was replaced or removed, or is used again. */
export const certificateSettled = defineEvent<{ certificateId: string }>();
