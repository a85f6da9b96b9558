import { z } from 'zod';

const VERDICTS = ['unchanged', 'changed', 'unrecorded', 'unknown'] as const;
export const CHECKS = ['record', 'coverage', 'signature', 'certificate', 'timestamp'] as const;
const NOT_CHECKED = ['trust', 'revocation', 'time', 'authority'] as const;

/** What anyone may know about a file that they have: not the task, nor its title. */
export const publicVerification = z.object({
  verdict: z.enum(VERDICTS),
  sha256: z.string(),
  firm: z.string().optional(),
  sealedAt: z.number().optional(),
  timestampAt: z.number().optional(),
  timestampBy: z.string().optional(),
  checks: z.array(z.object({ check: z.enum(CHECKS), result: z.enum(['passed', 'failed', 'none']) })),
  notChecked: z.array(z.enum(NOT_CHECKED)),
});
export type PublicVerification = z.infer<typeof publicVerification>;

/**
 * `unchanged`: exactly the file that the portal sealed. `changed`: its seal does not fit its bytes. `unrecorded`: the
 * seal is good, but the portal has no record of a file with exactly these bytes. `unknown`: no seal of this portal.
 */
export type Verdict = PublicVerification['verdict'];
/** What was checked; the timestamp only if there is one. */
export type Check = PublicVerification['checks'][number];
/**
 * What verification cannot tell: whether others trust the certificate of the firm, or whether its issuer has revoked
 * it; the time of a seal without a timestamp; whether others trust the timestamp authority.
 */
export type NotChecked = PublicVerification['notChecked'][number];
