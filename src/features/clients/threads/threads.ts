import { z } from 'zod';
import { remark } from '#platform/forms/remarks.ts';

/* What the firm and the people of a client write to each other: about a task, or without any. */

/** Messages on a page. */
export const MESSAGES_A_PAGE = 100;

/** A message. `isInternal` is for staff: only the firm sees it. */
export const newMessage = z.strictObject({
  text: remark,
  isInternal: z.boolean().default(false),
});
export type NewMessage = z.input<typeof newMessage>;

/**
 * A message. `role` is the side of its author; the text of a deleted one is empty. `permissions.delete` is true for its
 * author, for 15 minutes.
 */
export const message = z.strictObject({
  id: z.string(),
  text: z.string(),
  createdBy: z.string(),
  role: z.enum(['Firm', 'Client']),
  isInternal: z.boolean(),
  isDeleted: z.boolean(),
  createdDate: z.iso.datetime(),
  permissions: z.strictObject({ delete: z.boolean() }),
});
export type Message = z.infer<typeof message>;

export const messageQuery = z.strictObject({
  from: z.coerce.number().int().min(0).max(1_000_000).default(0),
});
export type MessageQuery = z.infer<typeof messageQuery>;

/** One page of messages, in the shape of the calls. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    items: z.array(item),
    pageIndex: z.number().int(),
    totalPages: z.number().int(),
    total: z.number().int(),
  });

/** The same for messages that were read from the database. */
export const messagePage = <Item>(items: Item[], { from, total }: { from: number; total: number }) => ({
  items,
  pageIndex: Math.floor(from / MESSAGES_A_PAGE),
  totalPages: Math.max(1, Math.ceil(total / MESSAGES_A_PAGE)),
  total,
});
