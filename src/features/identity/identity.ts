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
