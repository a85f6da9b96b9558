import type { Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  cnd_passports: {
    key: ['passport_id'],
    encrypted: { recipient: 'always' },
    ofClient: { exported: 'clearance-passports.csv', merged: 'follows', kept: 'with client' },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    cnd_passports: CndPassports;
  }
}

/** A link to the certificates of a client. */
interface CndPassports {
  passport_id: string;
  company_id: string;
  client_id: string;
  token_hash: string;
  /** Whom it is for, such as a bank: a name, not an address. */
  recipient: Encrypted;
  /** The ids of the chosen agencies, separated by spaces. They stay the same when clients are merged. */
  agency_ids: string;
  made_by: string;
  made_at: Millis;
  /** The end of its last day, in the time zone of the firm. */
  expires_at: Millis;
  openings: number;
  last_opened_at: Millis | null;
  /** When it was revoked; the end of its last day for one that has expired. */
  revoked_at: Millis | null;
}
