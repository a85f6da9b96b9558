import type { RowState } from '#features/base/batches/rows.ts';
import type { Encrypted, TableDeclarations } from '#platform/database/schema.server.ts';
import type { BatchAction, RowProblem } from './task-batches.ts';

export const tables = {
  task_batches: { key: ['batch_id'], encrypted: { input: 'always' } },
  task_batch_rows: {
    key: ['batch_id', 'number'],
    ofClient: {
      exported: { not: 'The tasks and the audit log have what came of it.' },
      merged: { not: 'It says for whom the task was wanted; the task itself follows.' },
      kept: { until: '60 days after its batch is done' },
    },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    task_batches: TaskBatches;
    task_batch_rows: TaskBatchRows;
  }
}

/** What a batch does; how far it is, its head says (src/features/base/batches). */
interface TaskBatches {
  batch_id: string;
  action: BatchAction;
  /** JSON: the tasks to create, or the reason, date or person of a change. */
  input: Encrypted;
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
