import { z } from 'zod';

const typed = z.string().min(1).max(256);
/** The proof of a step-up: one of the person's factors. `credential` is the browser's response, as JSON. */
export const proof = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('password'), password: typed }),
  z.strictObject({ kind: z.literal('totp'), code: typed }),
  z.strictObject({ kind: z.literal('recovery-code'), code: typed }),
  z.strictObject({ kind: z.literal('passkey'), credential: z.string().min(1).max(32_768) }),
]);
export type Proof = z.infer<typeof proof>;

export const provedAgain = z.strictObject({ authenticatedAt: z.iso.datetime() });
export const passkeyChallenge = z.strictObject({ challenge: z.string() });
