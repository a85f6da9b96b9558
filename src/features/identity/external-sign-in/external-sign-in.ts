import { z } from 'zod';
import { ownerDetails } from '#features/identity/invitations/invitations.ts';
import { LANGS } from '#platform/text/languages.ts';

/** The purpose of a visit to the issuer. */
export const purpose = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('sign-in') }),
  z.strictObject({ kind: z.literal('step-up') }),
  z.strictObject({ kind: z.literal('invitation'), token: z.string() }),
  z.strictObject({ kind: z.literal('owner'), token: z.string(), lang: z.enum(LANGS), owner: ownerDetails }),
]);
export type Purpose = z.infer<typeof purpose>;
