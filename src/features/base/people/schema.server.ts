import type { Generated } from 'kysely';
import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { StaffRole } from './people.ts';

export const tables = {
  users: { key: ['prism_guid'], encrypted: { email: 'always' } },
  contacts: { key: ['contact_id'] },
  access_settings: { key: ['company_id', 'contact_id', 'kind', 'name'] },
  staff_clients: {
    key: ['contact_id', 'client_id'],
    maintained: ['company_id', 'client_name_key', 'client_code_key', 'is_archived'],
    ofClient: { exported: 'team.csv', merged: 'united', kept: 'with client' },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    users: Users;
    contacts: Contacts;
    access_settings: AccessSettings;
    staff_clients: StaffClients;
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
  /** The folded full name, by which people are listed and found. */
  name_key: Generated<string>;
  staff: Bit;
  /** The role of staff; empty for contacts of clients. */
  role: Generated<StaffRole | ''>;
  /** 0 for staff who see only the clients assigned to them (`staff_clients`). */
  all_clients: Generated<Bit>;
  /** Since when this person may not enter the firm's portal. */
  suspended_at: Millis | null;
  /** Since when this person is no longer part of the firm; they are suspended, too, which the MAC covers. */
  removed_at: Millis | null;
  created_at: Millis;
  /** A MAC of the row's access rights, which reveals rows that the portal did not write. */
  mac: Generated<string>;
}

/** The clients assigned to a member of staff. */
interface StaffClients {
  contact_id: string;
  client_id: string;
  /** 1 for the staff responsible for the client, whose inbox shows it as theirs. */
  is_responsible: Generated<Bit>;
  /** A MAC of the row, as of `contacts`. */
  mac: string;
  /** The client's firm, name, number and state, which triggers copy: the order of the lists of clients. */
  company_id: Generated<string>;
  client_name_key: Generated<string>;
  client_code_key: Generated<string>;
  is_archived: Generated<Bit>;
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
  /** A MAC of the row, as of `contacts`. */
  mac: Generated<string>;
}
