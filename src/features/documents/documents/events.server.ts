import { defineEvent } from '#platform/runtime/events.server.ts';

export interface UploadedDocument {
  documentId: string;
  companyId: string;
  clientId: string;
  containerId: string;
  name: string;
  /** Staff published it; of a restored one also: staff restored it. */
  byStaff: boolean;
}

/** A document is stored; announced in the transaction that adds it. */
export const documentAdded = defineEvent<UploadedDocument>();

/**
 * A document that was just added answers a question of an open task: it is looked at with the task. Announced in the
 * transaction that adds it.
 */
export const documentAnswersTask = defineEvent<{ documentId: string }>();

/** A document was restored from the trash. Whether staff had opened it before it was deleted is not known any more. */
export const documentRestored = defineEvent<UploadedDocument>();

/** Staff opened documents: nobody has to look at them any more. */
export const documentsHandled = defineEvent<{ documentIds: readonly string[] }>();

/** Documents were moved to the trash, from which they can be restored. */
export const documentsDeleted = defineEvent<{ documentIds: readonly string[] }>();

/**
 * Documents were removed permanently; announced in the transaction that removes them. Their rows stay, without
 * content and name: who stores something about a document removes it now.
 */
export const documentsPurged = defineEvent<{ documentIds: readonly string[] }>();

/** The stored bytes of a document were found damaged; {@link documentRepaired} when they can be read again. */
export const documentDamaged = defineEvent<{
  documentId: string;
  companyId: string;
  clientId: string;
  containerId: string;
  name: string;
}>();

export const documentRepaired = defineEvent<{ documentId: string }>();
