import type { Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  views: { key: ['view_id'], encrypted: { reason: 'always' } },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    views: Views;
  }
}

/** Why a staff member impersonated a contact; start and end are in the audit log. */
interface Views {
  view_id: string;
  company_id: string;
  staff_contact_id: string;
  contact_id: string;
  reason: Encrypted;
  started_at: Millis;
}
