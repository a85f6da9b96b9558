import type { Purpose } from './external-sign-in.ts';

export interface SignInTransaction {
  state: string;
  nonce: string;
  code_verifier: string;
  redirect_uri: string;
  return_to: string;
  purpose: Purpose;
}

/** Epoch ms. */
export type StartedTransaction = SignInTransaction & { startedAt: number };
