import { z } from 'zod';

/** The fields of the sign-in form. */
export const credentials = z.strictObject({
  email: z.string().trim().min(1).max(320),
  password: z.string().min(1).max(256),
});

/** The pages of refused sign-ins, by reason (spec 1 section 8, identity-provider reasons). */
export const PAGE_OF_REASON = {
  MFA_AUTHENTICATION_REQUIRED: 'auth/mfa-required',
  FIRM_LOCKED_OUT: 'auth/firm-locked',
} as const;

/**
 * How a program starts a sign-in (spec 1 section 7); `type` and `sp` are the caller's own identifiers,
 * without effect.
 */
export const oidcLogin = z.strictObject({
  type: z.string().max(64).optional(),
  sp: z.string().max(64).optional(),
  lang: z.string().max(16),
  redirectUri: z.string().max(2000),
});
export const oidcLoginStarted = z.strictObject({ redirectUrl: z.url() });

/** The parameters that the issuer adds to the callback URL; `iss` if it identifies itself (RFC 9207). */
export const oidcCode = z.strictObject({
  code: z.string().min(1).max(4096),
  state: z.string().min(1).max(512),
  iss: z.string().max(2000).optional(),
});
export const oidcToken = z.strictObject({ tokenValue: z.string() });
