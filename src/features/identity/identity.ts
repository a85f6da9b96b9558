import { z } from 'zod';
import { LANGS } from '#platform/languages.ts';

/** What a person types to sign in. */
export const credentials = z.strictObject({
  email: z.string().trim().min(1).max(320),
  password: z.string().min(1).max(256),
});

/** The pages that a refused sign-in leads to, by reason (spec 1 section 8, identity-provider reasons). */
export const PAGE_OF_REASON = {
  MFA_AUTHENTICATION_REQUIRED: 'auth/mfa-required',
  FIRM_LOCKED_OUT: 'auth/firm-locked',
} as const;

const typed = z.string().min(1).max(256);
/**
 * How somebody proves who they are once more: one of what they know or have. `credential` is what the browser
 * answers, as JSON.
 */
export const proof = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('password'), password: typed }),
  z.strictObject({ kind: z.literal('totp'), code: typed }),
  z.strictObject({ kind: z.literal('recovery-code'), code: typed }),
  z.strictObject({ kind: z.literal('passkey'), credential: z.string().min(1).max(32_768) }),
]);
export type Proof = z.infer<typeof proof>;

export const provedAgain = z.strictObject({ authenticatedAt: z.iso.datetime() });
export const passkeyChallenge = z.strictObject({ challenge: z.string() });

/** An e-mail address as it is typed. */
export const emailAddress = z
  .string()
  .trim()
  .max(320)
  .regex(/^[^\s@<>(),;:"[\]\\]+@[^\s@<>(),;:"[\]\\]+$/);
const name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}\p{Bidi_Control}]*$/u);

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

/** What somebody is sent to the issuer for. */
export const purpose = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('sign-in') }),
  z.strictObject({ kind: z.literal('step-up') }),
  z.strictObject({ kind: z.literal('invitation'), token: z.string() }),
  z.strictObject({ kind: z.literal('owner'), token: z.string(), lang: z.enum(LANGS), owner: ownerDetails }),
]);
export type Purpose = z.infer<typeof purpose>;

/**
 * How a program begins a sign-in (spec 1 section 7); `type` and `sp` are the caller's own names for what it
 * is, and change nothing.
 */
export const oidcLogin = z.strictObject({
  type: z.string().max(64).optional(),
  sp: z.string().max(64).optional(),
  lang: z.string().max(16),
  redirectUri: z.string().max(2000),
});
export const oidcLoginStarted = z.strictObject({ redirectUrl: z.url() });

/** What the issuer adds to the address that it leads back to; `iss` where it says who it is (RFC 9207). */
export const oidcCode = z.strictObject({
  code: z.string().min(1).max(4096),
  state: z.string().min(1).max(512),
  iss: z.string().max(2000).optional(),
});
export const oidcToken = z.strictObject({ tokenValue: z.string() });
