/*
 * A batch does one thing with many rows, as a job: what its rows are, and what is done with each, its kind defines
 * (define.server.ts).
 */

/**
 * `draft`: what it needs is not complete. `checking`: every row is compared with what is there. `ready`: waits to be
 * confirmed. `running`, `undoing`: at work. `done`, `stopped` before its end, `undone`.
 */
export const BATCH_STATES = [
  'draft',
  'checking',
  'ready',
  'running',
  'done',
  'stopped',
  'undoing',
  'undone',
] as const;
export type BatchState = (typeof BATCH_STATES)[number];

/** The states in which a job is at work. */
export const AT_WORK = ['checking', 'running', 'undoing'] as const;
export type Step = (typeof AT_WORK)[number];
export const isAtWork = (state: BatchState): state is Step => AT_WORK.some((step) => step === state);

/** Why a batch stopped: somebody stopped it, the one as whom it ran may no longer do this, or its job was lost. */
export type StopReason = 'PERSON' | 'RIGHTS' | 'LOST';

/** What is the same for batches of all kinds. */
export interface Batch {
  id: string;
  companyId: string;
  kind: string;
  state: BatchState;
  /** Empty unless it is stopped. */
  stoppedBy: StopReason | '';
  createdBy: string;
  /** As whom it runs: who began the present step. */
  runsAs: string;
  total: number;
  /** How many rows the present step has passed. */
  position: number;
  createdAt: number;
  finishedAt: number | undefined;
}
