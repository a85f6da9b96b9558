import type { Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  oidc_payloads: { key: ['model', 'id'], encrypted: { payload: 'always' } },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    oidc_payloads: OidcPayloads;
  }
}

interface OidcPayloads {
  model: string;
  id: string;
  payload: Encrypted;
  grant_id: string | null;
  uid: string | null;
  consumed_at: Millis | null;
  expires_at: Millis | null;
}
