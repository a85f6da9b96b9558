import type { Generated } from 'kysely';
import type { StaffRole } from '#features/base/people/people.ts';
import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  invitations: { key: ['invitation_id'], encrypted: { email: 'always' } },
  invitation_batches: { key: ['batch_id'], encrypted: { problems: 'always' } },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
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
  /** The clients that staff will be responsible for, as JSON. */
  responsible_ids: Generated<string>;
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

/** Invitations of many people; how many are sent, their head says (src/features/base/batches). */
interface InvitationBatches {
  batch_id: string;
  /** The lines from which no invitation could be made, as JSON. */
  problems: Encrypted;
}
