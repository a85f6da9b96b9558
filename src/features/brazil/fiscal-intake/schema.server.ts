import type { Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { IntakeState, ItemOutcome, Source } from './fiscal-intake.ts';

export const tables = {
  fiscal_intakes: {
    key: ['intake_id'],
    ofClient: { exported: 'fiscal-intakes.csv', merged: 'follows', kept: 'always' },
  },
  fiscal_spools: {
    key: ['intake_id', 'number'],
    ofClient: { exported: { not: 'Archives that are being read, for minutes.' } },
  },
  fiscal_intake_items: {
    key: ['intake_id', 'number'],
    ofClient: { exported: 'fiscal-intake-items.csv', merged: 'follows', kept: 'always' },
  },
  fiscal_set_asides: {
    key: ['set_aside_id'],
    ofClient: {
      exported: { not: 'Files of which nobody knows yet whose they are.' },
      merged: 'united',
      kept: { until: '30 days after the firm has decided about it' },
    },
  },
  fiscal_moves: {
    key: ['path'],
    ofClient: { exported: { not: 'Files of the watched folder that are moved, for seconds.' } },
  },
  fiscal_mail_addresses: {
    key: ['token_key'],
    encrypted: { token: 'always' },
    ofClient: {
      exported: { not: 'Whoever knows such an address can send files to it.' },
      merged: 'follows',
      kept: 'with client',
    },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    fiscal_intakes: FiscalIntakes;
    fiscal_spools: FiscalSpools;
    fiscal_intake_items: FiscalIntakeItems;
    fiscal_set_asides: FiscalSetAsides;
    fiscal_moves: FiscalMoves;
    fiscal_mail_addresses: FiscalMailAddresses;
  }
}

/** Files that came in at once, for a client. */
interface FiscalIntakes {
  intake_id: string;
  company_id: string;
  client_id: string;
  source: Source;
  /** The name of its only file, or of the first. */
  name: string;
  state: IntakeState;
  /** A contact, or the portal for what came without a person. */
  started_by: string;
  created_at: Millis;
  finished_at: Millis | null;
  /** The digest of the message that it came with, for its client. */
  origin: string | null;
}

/** An archive that is not read to its end yet. */
interface FiscalSpools {
  intake_id: string;
  number: number;
  name: string;
  blob_key: string;
  size: number;
  /** How many of its files are done. */
  position: number;
}

/** A file of an intake, and what became of it. Those of an archive have its number times 100,000 and their own. */
interface FiscalIntakeItems {
  intake_id: string;
  number: number;
  /** The client that has it now. */
  client_id: string;
  name: string;
  outcome: ItemOutcome;
  code: string;
  file_id: string;
}

/** A file that belongs to no client of whoever sent it: the firm decides. */
interface FiscalSetAsides {
  set_aside_id: string;
  company_id: string;
  /** For whom it was sent. */
  client_id: string;
  intake_id: string;
  number: number;
  name: string;
  /** What it is, in words. */
  sentence: string;
  sha256: string;
  size: number;
  /** Empty when the bytes are gone: it was decided 30 days ago. */
  blob_key: string;
  created_at: Millis;
  resolved_at: Millis | null;
  resolved_by: string;
  resolution: '' | 'assigned' | 'discarded';
}

/** A file of the watched folder that is stored, and must still be moved. */
interface FiscalMoves {
  /** Below the watched folder. */
  path: string;
  intake_id: string;
  /** What it was when it was read: another file with this name stays. */
  size: number;
  modified_at: Millis;
  /** Why it was refused; empty if it was taken. */
  reason: string;
}

/** An address to which the documents of a client are sent. One that was merged has that of both. */
interface FiscalMailAddresses {
  /** A blind index of the token. */
  token_key: string;
  company_id: string;
  client_id: string;
  token: Encrypted;
  created_at: Millis;
  created_by: string;
}
