import type { Encrypted, Millis, TableDeclarations } from '#platform/schema.server.ts';

export const tables = {
  legal_holds: { key: ['client_id'], encrypted: { reason: 'always' } },
} as const satisfies TableDeclarations;

declare module '#platform/schema.server.ts' {
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
