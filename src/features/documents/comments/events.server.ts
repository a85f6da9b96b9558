import { defineEvent } from '#platform/runtime/events.server.ts';

/** A comment was added; announced in the transaction that adds it. `name` is that of its document. */
export const commentAdded = defineEvent<{
  commentId: string;
  companyId: string;
  clientId: string;
  documentId: string;
  name: string;
  byStaff: boolean;
}>();

/** A member of staff opened the comments on a document. */
export const commentsReadByStaff = defineEvent<{ companyId: string; documentId: string }>();

/** A contact opened the comments on a document. */
export const commentsReadByContact = defineEvent<{ contactId: string; documentId: string }>();

/** A comment was withdrawn. */
export const commentRemoved = defineEvent<{ commentId: string }>();
