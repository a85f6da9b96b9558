import type { Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  legal_holds: {
    key: ['client_id'],
    encrypted: { reason: 'always' },
    ofClient: {
      exported: 'legal-hold.csv',
      merged: { not: 'It stays, and the other client gets one like it.' },
      kept: { until: 'it is lifted' },
    },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    legal_holds: LegalHolds;
  }
}

/** Clients whose documents nobody removes permanently, such as during a dispute. */
interface LegalHolds {
  client_id: string;
  company_id: string;
  reason: Encrypted;
  held_by: string;
  held_at: Millis;
}
