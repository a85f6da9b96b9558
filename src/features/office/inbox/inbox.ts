import { z } from 'zod';

export const inboxQuery = z.strictObject({
  of: z.enum(['mine', 'all']).or(z.literal('')).default(''),
  /** As a feature declares it (contributions.server.ts). */
  kind: z.string().max(40).default(''),
  /** Where the page begins: the side, the rows before it, and what orders the row beside it. */
  after: z
    .string()
    .regex(/^[ab]\.\d{1,9}\.\d{1,15}\.\w{1,60}\.\d{1,15}\.\w{1,60}$/)
    .or(z.literal(''))
    .default(''),
});
export type InboxQuery = z.infer<typeof inboxQuery>;

export interface InboxItem {
  itemId: string;
  kind: string;
  /** What its link is about: a folder, a document, a mail, a client's shares, an invitation or a review. */
  key: string;
  name: string;
  /** Why, of a task that does not apply. */
  detail: string;
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
/** Counting unread rows for the navigation stops here: "99+". */
export const MAX_UNREAD = 100;
