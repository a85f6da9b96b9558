import type { Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { ExportProblem, ExportState } from './data-exports.ts';

export const tables = {
  data_exports: {
    key: ['export_id'],
    ofClient: {
      exported: { not: 'The audit log has who exported what.' },
      merged: { not: 'It was an export of the client as it was then.' },
      kept: { until: '90 days after its end' },
    },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    data_exports: DataExports;
  }
}

/** An export of a client or of the firm. At most one of a firm is waiting or building. */
interface DataExports {
  export_id: string;
  company_id: string;
  contact_id: string;
  /** Null for the whole firm. */
  client_id: string | null;
  state: ExportState;
  problem: ExportProblem | '';
  /** The language of its texts. */
  language: string;
  /** Counts the attempts to build it: an earlier one that is still at work changes nothing any more. */
  attempt: number;
  /** Bytes of documents: written, and in total. */
  written: number;
  total: number;
  omitted: number;
  /** Of the finished file. */
  size: number;
  sha256: string;
  blob_key: string | null;
  created_at: Millis;
  finished_at: Millis | null;
  expires_at: Millis | null;
}
