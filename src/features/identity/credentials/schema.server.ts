import type { Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  known_devices: { key: ['device_key'] },
  identities: { key: ['issuer', 'subject_key'] },
  email_changes: { key: ['change_id'], encrypted: { email: 'always' } },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    email_changes: EmailChanges;
    known_devices: KnownDevices;
    identities: Identities;
  }
}

/** Keyed digests of a user and a device used for sign-in. */
interface KnownDevices {
  device_key: string;
  prism_guid: string;
  last_at: Millis;
}

/** The user of an account at an external issuer; `subject_key` is a blind index of its subject. */
interface Identities {
  issuer: string;
  subject_key: string;
  prism_guid: string;
  linked_at: Millis;
}

/** A new email address of a user that waits for confirmation by a link sent there. */
interface EmailChanges {
  change_id: string;
  /** The firm at which it was requested. */
  company_id: string;
  prism_guid: string;
  email: Encrypted;
  email_key: string;
  token_hash: string;
  /** The contact who requested it: the person, or staff of their only firm. */
  requested_by: string;
  expires_at: Millis;
}
