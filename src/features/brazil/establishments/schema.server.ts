import type { Bit, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  establishments: {
    key: ['establishment_id'],
    ofClient: { exported: 'establishments.csv', merged: 'united', kept: 'with client' },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    establishments: Establishments;
  }
}

interface Establishments {
  establishment_id: string;
  company_id: string;
  client_id: string;
  /** Without punctuation. A client has each once among those that are not removed. */
  cnpj: string;
  name: string;
  state_registration: string;
  /** The IBGE code of its city; empty if it is not known. */
  city: string;
  /** Its weekly days of rest as digits: `67` is Saturday and Sunday. */
  rest_days: string;
  is_head_office: Bit;
  version: number;
  created_at: Millis;
  modified_at: Millis;
  /** What names it goes on to do so. */
  removed_at: Millis | null;
}
