import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { Source, Status } from './clearance-certificates.ts';
import type { Result } from './lights.ts';

export const tables = {
  cnd_client_agencies: {
    key: ['client_agency_id'],
    ofClient: { exported: 'clearance-agencies.csv', merged: 'united', kept: 'with client' },
  },
  cnd_attempts: {
    key: ['attempt_id'],
    encrypted: { number: 'always', control_code: 'always', note: 'always' },
    ofClient: { exported: 'clearance-certificates.csv', merged: 'follows', kept: 'with client' },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    cnd_client_agencies: CndClientAgencies;
    cnd_attempts: CndAttempts;
  }
}

/** An agency that the firm follows for a client, with what its newest certificate says. */
interface CndClientAgencies {
  client_agency_id: string;
  company_id: string;
  client_id: string;
  /** See agencies.ts. */
  agency_id: string;
  renew_before_days: number;
  /** Whether the contacts of the client are told before a certificate lapses. */
  notifies_client: Bit;
  /** The newest certificate; null without one. */
  current_attempt_id: string | null;
  result: Result | '';
  valid_until: string;
  renew_on: string;
  /** The day of the next notice; empty for none. */
  next_notice_on: string;
  created_at: Millis;
  created_by: string;
  /** Since when nobody follows it; what is known stays. */
  ended_at: Millis | null;
}

/** An attempt to get a certificate (the spec's crawler history): a certificate, or what an agency answered. */
interface CndAttempts {
  attempt_id: string;
  company_id: string;
  client_id: string;
  client_agency_id: string;
  status: Status;
  source: Source;
  result: Result | '';
  number: Encrypted;
  control_code: Encrypted;
  cnpj: string;
  issued_on: string;
  valid_until: string;
  /** Null for a note, and when the document was removed for good. */
  document_id: string | null;
  /** Of the PDF; empty for a note. */
  sha256: string;
  note: Encrypted;
  created_at: Millis;
  created_by: string;
  /** Since when it does not count: it was filed by mistake. */
  withdrawn_at: Millis | null;
}
