import { z } from 'zod';

/** How long staff may view as a contact, in minutes (product.md, Session and sign-in). */
export const LOOK_MINUTES = 30;

/** Starts viewing as a contact of the own firm: as whom, and why; the reason is kept for the firm. */
/** The length of the reason for viewing as a contact, in characters. */
export const MIN_REASON = 10;
export const MAX_REASON = 500;

export const viewRequest = z.strictObject({
  contactId: z.string().max(60),
  reason: z.string().trim().min(MIN_REASON).max(MAX_REASON),
});
export type ViewRequest = z.infer<typeof viewRequest>;

export const viewAnswer = z.strictObject({ until: z.iso.datetime() });

/** The position in the activity: the number of the last entry of the previous page. */
export const activityQuery = z.strictObject({ before: z.coerce.number().int().min(1).optional() });

/** An audit entry in readable form. `what` is the name of its target, if it has one. */
export interface AuditLogEntry {
  seq: number;
  at: number;
  action: string;
  byStaff: boolean;
  who: string;
  /** The contact who had asked for it, if `who` has no account. */
  askedBy?: string;
  what: string;
  client: string;
  /** The method of an attempted sign-in; empty for everything else. */
  how: string;
  result: string;
  network: string;
  reason: string;
  /** The number of its receipt; for a contact only of one that they may see. */
  receipt?: number;
}
