import type { Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { BatchState, StopReason } from './batches.ts';

export const tables = { batches: { key: ['batch_id'] } } as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    batches: Batches;
  }
}

/** How far batches are; their kinds have tables of their own for what they do, and for the rows. */
interface Batches {
  batch_id: string;
  company_id: string;
  kind: string;
  state: BatchState;
  /** Empty unless it is stopped. */
  stopped_by: StopReason | '';
  created_by: string;
  /** As whom it runs: who began the present step. */
  runs_as: string;
  total: number;
  /** How many rows the present step has passed: from the first, those of an undo from the last. */
  position: number;
  created_at: Millis;
  /** When a part was last done. */
  moved_at: Millis;
  finished_at: Millis | null;
}
