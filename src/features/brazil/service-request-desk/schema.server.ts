import type { RowState } from '#features/base/batches/rows.ts';
import type { TableDeclarations } from '#platform/database/schema.server.ts';
import type { DeskAction, RowProblem } from './desk.ts';

export const tables = {
  service_request_batches: { key: ['batch_id'] },
  service_request_batch_rows: {
    key: ['batch_id', 'number'],
    ofClient: {
      exported: { not: 'The requests and the audit log have what came of it.' },
      merged: { not: 'It says for whom something was done; the request itself follows.' },
      kept: { until: '60 days after its batch is done' },
    },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    service_request_batches: ServiceRequestBatches;
    service_request_batch_rows: ServiceRequestBatchRows;
  }
}

/** What is done with many requests; how far it is, its head says (src/features/base/batches). */
interface ServiceRequestBatches {
  batch_id: string;
  action: DeskAction;
  /** Who becomes responsible; null for nobody, or where nobody does. */
  responsible: string | null;
}

interface ServiceRequestBatchRows {
  batch_id: string;
  /** From 1. */
  number: number;
  client_id: string;
  request_id: string;
  state: RowState;
  problem: RowProblem | '';
  /** Who was responsible; empty for nobody. */
  before_value: string;
}
