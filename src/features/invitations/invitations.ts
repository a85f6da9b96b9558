import { z } from 'zod';
import { emailAddress, name } from '#features/credentials/credentials.ts';
import { LANGS } from '#platform/languages.ts';

/** Whom staff invite, and the clients that they will act for. */
export const invitationRequest = z.strictObject({
  emailAddress,
  firstName: name,
  lastName: name,
  language: z.enum(LANGS),
  clientIds: z.array(z.string().max(60)).max(200).default([]),
});
export type InvitationRequest = z.infer<typeof invitationRequest>;

export const invitation = z.strictObject({
  invitationId: z.string(),
  emailAddress: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  language: z.string(),
  clientIds: z.array(z.string()),
  state: z.enum(['open', 'accepted', 'revoked', 'expired']),
  /** What became of its mail: `failed` when the mail server refused it for good. */
  mail: z.enum(['queued', 'sent', 'failed']),
  sentAt: z.string(),
  expiresAt: z.string(),
});
export type Invitation = z.infer<typeof invitation>;

export const invitations = z.strictObject({ invitations: z.array(invitation) });

/** What the first owner of a new portal says about the firm and themself. */
export const ownerDetails = z.strictObject({
  firmName: name,
  phone: z.string().trim().max(40),
  firstName: name,
  lastName: name,
  email: emailAddress,
  /** The zone of their browser, where it says one. */
  timeZone: z.string().max(100).optional(),
});
export type OwnerDetails = z.infer<typeof ownerDetails>;
/** A password is no concern of the portal where another issuer signs people in. */
export type FirstOwner = OwnerDetails & { password: string };
