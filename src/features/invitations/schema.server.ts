import type { Generated } from 'kysely';
import type { StaffRole } from '#features/people/people.ts';
import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/schema.server.ts';

export const tables = {
  invitations: { key: ['invitation_id'], encrypted: { email: 'always' } },
  invitation_batches: { key: ['batch_id'], encrypted: { problems: 'always' } },
} as const satisfies TableDeclarations;

declare module '#platform/schema.server.ts' {
  interface Tables {
    invitations: Invitations;
    invitation_batches: InvitationBatches;
  }
}

/** Invitations to become a contact, or staff. One that was not sent yet has a `sent_at` of 0. */
interface Invitations {
  invitation_id: string;
  company_id: string;
  email: Encrypted;
  email_key: string;
  first_name: string;
  last_name: string;
  /** Both names, folded, by which people are listed and found. */
  name_key: Generated<string>;
  language: string;
  client_ids: string;
  token_hash: string;
  invited_by: string;
  created_at: Millis;
  sent_at: Millis;
  expires_at: Millis;
  accepted_at: Millis | null;
  revoked_at: Millis | null;
  /** The role of staff; empty for contacts of clients. */
  role: Generated<StaffRole | ''>;
  /** 0 for staff who will act only for the clients of the invitation. */
  all_clients: Generated<Bit>;
  /** The batch that sends it, or sent it last. */
  batch_id: string | null;
  /** A MAC of what it grants (`invitationMac`). */
  mac: Generated<string>;
}

/** Invitations of many people, which a job sends. */
interface InvitationBatches {
  batch_id: string;
  company_id: string;
  created_by: string;
  created_at: Millis;
  /** How many invitations it sends. */
  total: number;
  /** The lines from which no invitation could be made, as JSON. */
  problems: Encrypted;
  /** Why it ended early: the code of a refusal. */
  stopped: Generated<string>;
  finished_at: Millis | null;
}
