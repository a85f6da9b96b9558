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

/** Staff opened documents: nobody has to look at them any more. */
export const documentsHandled = defineEvent<{ documentIds: readonly string[] }>();

/** Documents were moved to the trash. */
export const documentsDeleted = defineEvent<{ documentIds: readonly string[] }>();

/** The stored bytes of a document were found damaged; {@link documentRepaired} when they can be read again. */
export const documentDamaged = defineEvent<{
  documentId: string;
  companyId: string;
  clientId: string;
  containerId: string;
  name: string;
}>();

export const documentRepaired = defineEvent<{ documentId: string }>();
