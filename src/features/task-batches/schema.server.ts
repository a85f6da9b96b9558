import type { Encrypted, Millis, TableDeclarations } from '#platform/schema.server.ts';
import type { BatchAction, BatchState, RowProblem, RowState } from './task-batches.ts';

export const tables = {
  task_batches: { key: ['batch_id'], encrypted: { input: 'always' } },
  task_batch_rows: { key: ['batch_id', 'number'] },
} as const satisfies TableDeclarations;

declare module '#platform/schema.server.ts' {
  interface Tables {
    task_batches: TaskBatches;
    task_batch_rows: TaskBatchRows;
  }
}

interface TaskBatches {
  batch_id: string;
  company_id: string;
  created_by: string;
  action: BatchAction;
  state: BatchState;
  /** JSON: the tasks to create, or the reason, date or person of a change. */
  input: Encrypted;
  total: number;
  /** How many rows the present step has passed. */
  position: number;
  created_at: Millis;
  moved_at: Millis;
  finished_at: Millis | null;
}

/** A client that gets a task, or a task that is changed. */
interface TaskBatchRows {
  batch_id: string;
  /** From 1. */
  number: number;
  client_id: string;
  /** Empty before it is created. */
  task_id: string;
  state: RowState;
  problem: RowProblem | '';
  /** What an undo restores: the due date, or who was responsible; empty for none. */
  before_value: string;
}
