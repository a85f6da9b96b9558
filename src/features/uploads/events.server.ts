import { defineEvent } from '#platform/events.server.ts';

/** The space that a firm uses is counted: whoever stores files that are no documents adds their bytes. */
export const spaceCounted = defineEvent<{ companyId: string; add: (bytes: number) => void }>();
