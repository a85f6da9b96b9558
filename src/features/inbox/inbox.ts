import { z } from 'zod';

/** What can wait for the firm. A new kind adds its texts and its next step to texts.server.ts. */
const INBOX_KINDS = [
  'documents',
  'damaged',
  'comments',
  'mail',
  'link-request',
  'invitation',
  'access-review',
  'task',
  'task-unanswered',
  'task-message',
  'payment',
  'payment-unclear',
  'signing',
  'seal-waits',
] as const;
export type InboxKind = (typeof INBOX_KINDS)[number];

export const inboxQuery = z.strictObject({
  of: z.enum(['mine', 'all']).or(z.literal('')).default(''),
  kind: z.enum(INBOX_KINDS).or(z.literal('')).default(''),
  pageNum: z.coerce.number().int().min(1).max(10_000).default(1),
});
export type InboxQuery = z.infer<typeof inboxQuery>;

export interface InboxItem {
  itemId: string;
  kind: InboxKind;
  /** What its link is about: a folder, a document, a mail, a client's shares, an invitation or a review. */
  key: string;
  name: string;
  count: number;
  clientId: string | undefined;
  clientName: string | undefined;
  /** When its first entry came in. */
  since: number;
  /** Something came in since the actor last opened it. */
  isUnread: boolean;
}

/** How many rows wait; counting stops at `MAX_COUNTED`. */
export interface InboxCounts {
  mine: number;
  all: number;
}
export const MAX_COUNTED = 1000;
