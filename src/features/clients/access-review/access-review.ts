import { z } from 'zod';
import type { StaffRole } from '#features/base/people/people.ts';

/** Months between two reviews; 0 for none. */
const INTERVALS = ['0', '3', '6', '12'] as const;
export const reviewPlan = z.strictObject({ interval: z.enum(INTERVALS) });
export type ReviewPlan = z.infer<typeof reviewPlan>;

/** How many days a review takes at most. */
export const REVIEW_DAYS = 30;

/** A review of who has access: begun, to be finished, and how far it is. */
export interface AccessReview {
  id: string;
  startedAt: number;
  dueAt: number;
  finishedAt: number | undefined;
  total: number;
  decided: number;
  removed: number;
}

/** One access: a contact's to a client, or that of a member of staff by their role. */
export interface ReviewItem {
  number: number;
  contactId: string;
  person: string;
  /** Undefined for staff. */
  client: string | undefined;
  role: StaffRole | undefined;
  hasAllClients: boolean;
  /** The last visit when the review began. */
  seenAt: number | undefined;
  decision: 'confirmed' | 'removed' | undefined;
  decidedBy: string;
  decidedAt: number | undefined;
}

/** What a review shows: page by page what is open or all of it, or everything at once to be printed. */
export const itemQuery = z.strictObject({
  show: z.enum(['open', 'all', 'print']).default('open'),
  pageNum: z.coerce.number().int().min(1).max(10_000).default(1),
});
export type ItemQuery = z.infer<typeof itemQuery>;
