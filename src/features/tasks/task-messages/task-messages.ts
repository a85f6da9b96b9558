import { z } from 'zod';
import { remark } from '#platform/forms/remarks.ts';

/** Messages on a page. */
export const MESSAGES_A_PAGE = 100;

/** A message on a task. `isInternal` is for staff: only the firm sees it. */
export const newTaskMessage = z.strictObject({
  text: remark,
  isInternal: z.boolean().default(false),
});
export type NewTaskMessage = z.input<typeof newTaskMessage>;

/**
 * A message on a task. `role` is the side of its author; the text of a deleted one is empty. `permissions.delete` is
 * true for its author, for 15 minutes.
 */
export const taskMessage = z.strictObject({
  id: z.string(),
  taskId: z.string(),
  text: z.string(),
  createdBy: z.string(),
  role: z.enum(['Firm', 'Client']),
  isInternal: z.boolean(),
  isDeleted: z.boolean(),
  createdDate: z.iso.datetime(),
  permissions: z.strictObject({ delete: z.boolean() }),
});
export type TaskMessage = z.infer<typeof taskMessage>;

export const messageQuery = z.strictObject({
  from: z.coerce.number().int().min(0).max(1_000_000).default(0),
});
export type MessageQuery = z.infer<typeof messageQuery>;

export const messagePage = z.strictObject({
  items: z.array(taskMessage),
  pageIndex: z.number().int(),
  totalPages: z.number().int(),
  total: z.number().int(),
});
export type MessagePage = z.infer<typeof messagePage>;
