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

const typed = z.string().min(1).max(256);
/** How somebody proves who they are once more: one of what they know or have. `credential` is what the browser answers, as JSON. */
export const proof = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('password'), password: typed }),
  z.strictObject({ kind: z.literal('totp'), code: typed }),
  z.strictObject({ kind: z.literal('recovery-code'), code: typed }),
  z.strictObject({ kind: z.literal('passkey'), credential: z.string().min(1).max(32_768) }),
]);
export type Proof = z.infer<typeof proof>;

export const provedAgain = z.strictObject({ authenticatedAt: z.iso.datetime() });
export const passkeyChallenge = z.strictObject({ challenge: z.string() });
