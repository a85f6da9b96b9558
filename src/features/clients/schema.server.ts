import type { Generated } from 'kysely';
import type { Millis, TableDeclarations } from '#platform/schema.server.ts';

export const tables = {
  clients: { key: ['client_id'] },
  client_contacts: { key: ['contact_id', 'client_id'] },
} as const satisfies TableDeclarations;

declare module '#platform/schema.server.ts' {
  interface Tables {
    clients: Clients;
    client_contacts: ClientContacts;
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
}

interface ClientContacts {
  client_id: string;
  contact_id: string;
  mac: Generated<string>;
}
