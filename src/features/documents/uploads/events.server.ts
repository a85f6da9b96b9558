import { defineEvent } from '#platform/runtime/events.server.ts';

/** The space that a firm uses is counted: whoever stores files that are no documents adds their bytes. */
export const spaceCounted = defineEvent<{ companyId: string; add: (bytes: number) => void }>();

/** Documents that somebody added to a container are announced to the other side. */
export const documentsAnnounced = defineEvent<{
  companyId: string;
  documentIds: readonly string[];
  byStaff: boolean;
}>();
