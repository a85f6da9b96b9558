import { z } from 'zod';
import { remark } from '#platform/forms/remarks.ts';

/** Comments on a page. */
export const COMMENTS_A_PAGE = 100;

const documentId = z.string().min(1).max(60);

export const newComment = z.strictObject({
  documentId,
  text: remark,
});
export type NewComment = z.infer<typeof newComment>;

/**
 * A comment on a document. `role` is the side of its author; `permissions.delete` is true for its author, for
 * 15 minutes.
 */
export const comment = z.strictObject({
  id: z.string(),
  documentId: z.string(),
  text: z.string(),
  createdBy: z.string(),
  role: z.enum(['Firm', 'Client']),
  createdDate: z.iso.datetime(),
  permissions: z.strictObject({ delete: z.boolean() }),
});
export type Comment = z.infer<typeof comment>;

export const commentQuery = z.strictObject({
  documentId,
  from: z.coerce.number().int().min(0).max(1_000_000).default(0),
});
export type CommentQuery = z.infer<typeof commentQuery>;

export const commentPage = z.strictObject({
  items: z.array(comment),
  pageIndex: z.number().int(),
  totalPages: z.number().int(),
  total: z.number().int(),
});
export type CommentPage = z.infer<typeof commentPage>;

/** Ids of documents, and the number of comments on each (spec 1 section 7). */
export const countedDocuments = z.array(documentId).max(1000);
export const commentCounts = z.array(z.strictObject({ id: z.string(), count: z.number().int() }));
