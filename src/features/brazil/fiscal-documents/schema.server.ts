import type { Bit, Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { ClientRole, Direction, Kind, State, Storage } from './fiscal-documents.ts';

const byFile = { exported: { not: 'They follow from the files, which are in fiscal-files.' } } as const;

export const tables = {
  fiscal_settings: { key: ['company_id'] },
  fiscal_clients: {
    key: ['client_id'],
    ofClient: {
      exported: { not: 'Whether fiscal documents are stored for the client.' },
      merged: 'united',
      kept: 'with client',
    },
  },
  fiscal_packs: {
    key: ['pack_id'],
    ofClient: {
      exported: { not: 'Where the bytes of the files are, which are in fiscal-files.' },
      merged: 'follows',
      kept: 'always',
    },
  },
  fiscal_files: {
    key: ['file_id'],
    ofClient: { exported: 'fiscal-files.csv', merged: 'united', kept: 'always' },
  },
  fiscal_documents: {
    key: ['document_id'],
    ofClient: { exported: 'fiscal-documents.csv', merged: 'united', kept: 'always' },
  },
  fiscal_copies: { key: ['document_id', 'file_id'], ofClient: byFile },
  fiscal_events: {
    key: ['event_id'],
    ofClient: { exported: 'fiscal-events.csv', merged: 'united', kept: 'always' },
  },
  fiscal_voids: {
    key: ['void_id'],
    ofClient: { exported: 'fiscal-voids.csv', merged: 'united', kept: 'always' },
  },
  fiscal_month_checks: {
    key: ['client_id', 'storage', 'month'],
    ofClient: { exported: 'fiscal-month-checks.csv', merged: 'united', kept: 'always' },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    fiscal_settings: FiscalSettings;
    fiscal_clients: FiscalClients;
    fiscal_packs: FiscalPacks;
    fiscal_files: FiscalFiles;
    fiscal_documents: FiscalDocuments;
    fiscal_copies: FiscalCopies;
    fiscal_events: FiscalEvents;
    fiscal_voids: FiscalVoids;
    fiscal_month_checks: FiscalMonthChecks;
  }
}

/** Whether a firm stores fiscal documents for its clients. */
interface FiscalSettings {
  company_id: string;
  is_ordered: Bit;
  changed_at: Millis;
}

/** A client for which it was switched on or off; for others it is on. */
interface FiscalClients {
  client_id: string;
  company_id: string;
  is_enabled: Bit;
  toggled_at: Millis;
}

/** A blob with the bytes of many files of a client, each compressed by itself. */
interface FiscalPacks {
  pack_id: string;
  company_id: string;
  client_id: string;
  blob_key: string;
  size: number;
  created_at: Millis;
}

/** A file as it came in; the same bytes are stored once for a client. */
interface FiscalFiles {
  file_id: string;
  company_id: string;
  client_id: string;
  /** Of its bytes before they were compressed, as `size`. */
  sha256: string;
  size: number;
  name: string;
  /** `other` is XML about which nothing is claimed. */
  kind: 'fiscal' | 'other';
  pack_id: string;
  pack_offset: number;
  pack_length: number;
  intake_id: string;
  stored_by: string;
  stored_at: Millis;
}

/** A document of a client, as the best of its copies has it, and its state by all copies and events. */
export interface FiscalDocuments {
  document_id: string;
  company_id: string;
  client_id: string;
  /** The access key, or what else tells documents of the client apart. */
  document_key: string;
  access_key: string;
  storage: Storage;
  kind: Kind;
  model: string;
  series: string;
  number: number | null;
  issued_at: Millis;
  /** By the issuer's clock, `2026-11`. */
  issued_month: string;
  direction: Direction;
  role: ClientRole;
  /** The CNPJ by which the client has this part: that of one of its establishments. Empty for people, and if not known. */
  own_id: string;
  /** The CNPJ of the issuer; empty for people. */
  issuer_id: string;
  issuer_name: string;
  /** Of the other side: a blind index of its number, its name, and that folded. */
  party_id_key: string;
  party_name: string;
  party_key: string;
  nature: string;
  total_cents: number;
  icms_cents: number;
  ibs_cents: number;
  cbs_cents: number;
  is_test: Bit;
  protocol: string;
  authorized_at: Millis | null;
  state: State;
  state_at: Millis | null;
  /** Bits of `PROBLEMS`. */
  problems: number;
  signature: string;
  /** The best copy. */
  file_id: string;
  stored_at: Millis;
}

/** A file that contains a document. */
interface FiscalCopies {
  document_id: string;
  file_id: string;
  /** How much it proves: the highest is the best copy. */
  rank: number;
  /** A digest of what is signed, to tell whether copies differ. */
  content_digest: string;
  /** What this file alone says. */
  own_state: State;
  own_state_at: Millis | null;
}

interface FiscalEvents {
  event_id: string;
  company_id: string;
  client_id: string;
  access_key: string;
  type: string;
  sequence: string;
  /** Whether it is the registered cancellation of the document. */
  cancels: Bit;
  state: string;
  happened_at: Millis | null;
  file_id: string;
  stored_at: Millis;
}

/** Numbers of a series that will never be used. */
interface FiscalVoids {
  void_id: string;
  company_id: string;
  client_id: string;
  /** The CNPJ of the issuer; empty for people. */
  issuer_id: string;
  model: string;
  series: string;
  first_number: number;
  last_number: number;
  state: string;
  registered_at: Millis | null;
  file_id: string;
  stored_at: Millis;
}

/** Somebody has checked a month; the digest tells whether it has changed since. */
interface FiscalMonthChecks {
  client_id: string;
  storage: Storage;
  month: string;
  company_id: string;
  counts_digest: string;
  checked_by: string;
  checked_at: Millis;
}
