import { z } from 'zod';
import type { StopReason } from '#features/base/batches/batches.ts';
import { emailAddress, name } from '#platform/inputs/line-schemas.ts';
import { STAFF_ROLES } from '#features/base/people/people.ts';
import { LANGS } from '#platform/text/languages.ts';

/**
 * An invitation by staff, with the clients that the person will act for. With a role it makes staff, who act
 * for all clients unless `hasAllClients` is false.
 */
export const invitationRequest = z.strictObject({
  emailAddress,
  firstName: name,
  lastName: name,
  language: z.enum(LANGS),
  clientIds: z.array(z.string().max(60)).max(200).default([]),
  role: z.enum(STAFF_ROLES).optional(),
  hasAllClients: z.boolean().optional(),
});
export type InvitationRequest = z.infer<typeof invitationRequest>;

export const invitation = z.strictObject({
  invitationId: z.string(),
  emailAddress: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  language: z.string(),
  clientIds: z.array(z.string()),
  /** The role of staff; absent for contacts. */
  role: z.enum(STAFF_ROLES).optional(),
  hasAllClients: z.boolean().optional(),
  /** The clients that they will be responsible for; absent for contacts. */
  responsibleIds: z.array(z.string()).optional(),
  /** `prepared` if it was not sent yet. */
  state: z.enum(['prepared', 'open', 'accepted', 'revoked', 'expired']),
  /** The state of its mail: `failed` if the mail server rejected it permanently. */
  mail: z.enum(['queued', 'sent', 'failed']),
  sentAt: z.string(),
  expiresAt: z.string(),
});
export type Invitation = z.infer<typeof invitation>;

export const invitations = z.strictObject({ invitations: z.array(invitation) });

/** The largest number of people invited at once. */
export const MAX_IN_BATCH = 2000;

/** A line from which no invitation could be made, and why. */
export const batchProblem = z.strictObject({
  line: z.number().int(),
  text: z.string(),
  code: z.enum(['name', 'email', 'client', 'noClient', 'taken', 'twice']),
});
export type BatchProblem = z.infer<typeof batchProblem>;

/** The progress of a batch of invitations. */
export interface Batch {
  batchId: string;
  total: number;
  sent: number;
  problems: BatchProblem[];
  isFinished: boolean;
  /** True if its sender lost the right to invite before it was done. */
  /** Empty unless it ended early. */
  stoppedBy: StopReason | '';
}

/** The data of the firm and its first owner in a new portal. */
export const ownerDetails = z.strictObject({
  firmName: name,
  phone: z.string().trim().max(40),
  firstName: name,
  lastName: name,
  email: emailAddress,
  /** The time zone of their browser, if it reports one. */
  timeZone: z.string().max(100).optional(),
});
export type OwnerDetails = z.infer<typeof ownerDetails>;
/** There is no password in the portal if an external issuer signs people in. */
export type FirstOwner = OwnerDetails & { password: string };
