import { z } from 'zod';

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
