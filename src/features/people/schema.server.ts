import type { Generated } from 'kysely';
import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/schema.server.ts';

export const tables = {
  users: { key: ['prism_guid'], encrypted: { email: 'always' } },
  contacts: { key: ['contact_id'] },
  access_settings: { key: ['company_id', 'contact_id', 'kind', 'name'] },
} as const satisfies TableDeclarations;

declare module '#platform/schema.server.ts' {
  interface Tables {
    users: Users;
    contacts: Contacts;
    access_settings: AccessSettings;
  }
}

interface Users {
  prism_guid: string;
  email: Encrypted;
  email_key: string;
  first_name: string;
  last_name: string;
  prefix: Generated<string>;
  middle_name: Generated<string>;
  suffix: Generated<string>;
  language: string;
  password_hash: string | null;
  mfa_required: Bit;
  created_at: Millis;
  /** The contact used last, which the next sign-in selects. */
  last_contact_id: string | null;
}

interface Contacts {
  contact_id: string;
  company_id: string;
  prism_guid: string;
  full_name: string;
  staff: Bit;
  created_at: Millis;
  /** A MAC of the row's access rights, which reveals rows that the portal did not write. */
  mac: Generated<string>;
}

/**
 * A firm's settings for access controls, permissions and flags; `contact_id` is empty for settings that apply
 * to everybody.
 */
interface AccessSettings {
  company_id: string;
  contact_id: string;
  kind: 'control' | 'permission' | 'flag';
  name: string;
  granted: Bit;
}
