import type { Encrypted, Millis, TableDeclarations } from '#platform/schema.server.ts';

export const tables = {
  invitations: { key: ['invitation_id'], encrypted: { email: 'always' } },
} as const satisfies TableDeclarations;

declare module '#platform/schema.server.ts' {
  interface Tables {
    invitations: Invitations;
  }
}

/** Invitations to become a contact. */
interface Invitations {
  invitation_id: string;
  company_id: string;
  email: Encrypted;
  email_key: string;
  first_name: string;
  last_name: string;
  language: string;
  client_ids: string;
  token_hash: string;
  invited_by: string;
  created_at: Millis;
  sent_at: Millis;
  expires_at: Millis;
  accepted_at: Millis | null;
  revoked_at: Millis | null;
}
