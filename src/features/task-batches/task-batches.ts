/*
 * Batches create or change many tasks: what one would do is listed first, then it runs as a job that can be stopped,
 * continued, and undone where no client has seen it.
 */

const BATCH_ACTIONS = [
  'create',
  'accept',
  'return',
  'reopen',
  'cancel',
  'reschedule',
  'assign',
  'remind',
  'delete',
] as const;
export type BatchAction = (typeof BATCH_ACTIONS)[number];
/** What a batch does with tasks that exist. */
export type ChangeAction = Exclude<BatchAction, 'create'>;
export const CHANGE_ACTIONS = BATCH_ACTIONS.filter((action) => action !== 'create');

export const BATCH_STATES = ['ready', 'running', 'done', 'stopped', 'undoing', 'undone'] as const;
export type BatchState = (typeof BATCH_STATES)[number];
export const isAtWork = (state: BatchState): boolean => state === 'running' || state === 'undoing';

export type RowState = 'waiting' | 'skipped' | 'done' | 'failed' | 'undone' | 'kept';

/** Why nobody was reminded of a task. */
type UnremindedReason = 'TOO_SOON' | 'BOUNCED' | 'PAUSED' | 'NO_CONTACT';

/** Why a task was not created or changed, or was kept when its batch was undone. */
export type RowProblem = 'HAS_ONE' | 'STATUS' | 'GONE' | 'CHANGED' | 'TOUCHED' | UnremindedReason;

/** Batches that no client has noticed can be undone. */
const UNDONE: readonly BatchAction[] = ['create', 'reschedule', 'assign', 'delete'];
export const isUndoable = (action: BatchAction): boolean => UNDONE.includes(action);

export interface Batch {
  id: string;
  action: BatchAction;
  state: BatchState;
  /** The title of the tasks that it creates; empty for others. */
  title: string;
  total: number;
  position: number;
  counts: Record<RowState, number>;
  /** The clients without a contact among those that get a task. */
  withoutContact: number;
  createdAt: number;
}

export interface BatchRow {
  number: number;
  clientId: string;
  client: string;
  /** Empty before it is created. */
  taskId: string;
  title: string;
  state: RowState;
  problem: RowProblem | '';
}

/** Clients, or tasks, of one batch. */
export const MAX_BATCH = 10_000;
/** Changes of so few tasks are made at once, without a job. */
export const MAX_AT_ONCE = 20;
