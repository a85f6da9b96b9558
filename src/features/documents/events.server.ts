import { defineEvent } from '#platform/events.server.ts';

/** A document is stored; announced in the transaction that adds it. */
export const documentAdded = defineEvent<{
  documentId: string;
  companyId: string;
  clientId: string;
  containerId: string;
  name: string;
  byStaff: boolean;
}>();

/** Staff opened documents, or documents were deleted: nobody has to look at them any more. */
export const documentsHandled = defineEvent<{ documentIds: readonly string[] }>();
