import type { Generated } from 'kysely';
import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  clients: {
    key: ['client_id'],
    encrypted: { address: 'always' },
    ofClient: {
      exported: 'client.csv',
      merged: { not: 'It is archived, and names the client that it became part of.' },
      kept: 'with client',
    },
  },
  client_contacts: {
    key: ['contact_id', 'client_id'],
    maintained: ['client_name_key', 'client_code_key', 'is_archived'],
    ofClient: { exported: 'contacts.csv', merged: 'united', kept: 'with client' },
  },
  client_tax_ids: {
    key: ['client_id', 'kind'],
    encrypted: { value: 'always' },
    ofClient: { exported: 'client.csv', merged: 'united', kept: 'with client' },
  },
  client_tags: {
    key: ['client_id', 'tag_key'],
    maintained: ['client_name_key', 'client_code_key', 'is_archived'],
    ofClient: { exported: 'client.csv', merged: 'united', kept: 'with client' },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    clients: Clients;
    client_contacts: ClientContacts;
    client_tax_ids: ClientTaxIds;
    client_tags: ClientTags;
  }
}

interface Clients {
  client_id: string;
  company_id: string;
  name: string;
  name_key: string;
  code: string;
  code_key: string;
  kind: 'business' | 'individual';
  doing_business_as: string | null;
  /** The nickname that the client's contacts gave it. */
  nickname: string | null;
  nickname_key: string;
  created_at: Millis;
  modified_at: Millis;
  /** The language of new contacts and texts; empty for the firm's. */
  language: Generated<string>;
  /** The last day of the tax year as `MM-DD`; empty for the calendar year. */
  year_end: Generated<string>;
  /** The postal address as JSON. */
  address: Encrypted<string | null>;
  /** Since when the firm no longer works for the client. */
  archived_at: Millis | null;
  /** The client that this one was merged into; such a client is archived. */
  merged_into: string | null;
  /** What a search finds (`searchKeyOf`). */
  search_key: Generated<string>;
}

/** The tax ids of a client, one of each kind (`src/platform/inputs/tax-ids.ts`), without punctuation. */
interface ClientTaxIds {
  client_id: string;
  kind: string;
  value: Encrypted;
  /** A blind index of kind and value, to find a client by it. */
  value_key: string;
}

interface ClientTags {
  client_id: string;
  tag_key: string;
  tag: string;
  company_id: string;
  /** The client's name, number and state, which triggers copy: the order of the lists of clients. */
  client_name_key: Generated<string>;
  client_code_key: Generated<string>;
  is_archived: Generated<Bit>;
}

interface ClientContacts {
  client_id: string;
  contact_id: string;
  mac: Generated<string>;
  /** The client's name, number and state, which triggers copy: the order of the lists of clients. */
  client_name_key: Generated<string>;
  client_code_key: Generated<string>;
  is_archived: Generated<Bit>;
}
