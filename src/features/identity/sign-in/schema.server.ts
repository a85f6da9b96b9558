import type { Generated } from 'kysely';
import type { Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  sign_in_transactions: { key: ['transaction_hash'], encrypted: { purpose: 'always' } },
  login_tickets: { key: ['ticket_hash'] },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    sign_in_transactions: SignInTransactions;
    login_tickets: LoginTickets;
  }
}

interface SignInTransactions {
  transaction_hash: string;
  state: string;
  nonce: string;
  code_verifier: string;
  redirect_uri: string;
  return_to: string;
  /** JSON, encrypted; null for a plain sign-in. */
  purpose: Encrypted<string | null>;
  expires_at: Millis;
}

interface LoginTickets {
  ticket_hash: string;
  prism_guid: string;
  /** JSON: authentication methods (RFC 8176). */
  amr: Generated<string>;
  expires_at: Millis;
}
