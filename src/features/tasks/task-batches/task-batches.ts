import type { BatchState } from '#features/base/batches/batches.ts';
import type { RowState } from '#features/base/batches/rows.ts';

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
  /** The clients of the rows that wait, and the name of the only one. */
  clients: number;
  client: string;
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
  /** The names of those who will be notified by email, before the batch begins. */
  contacts: string[];
}

/** How contacts are notified of a change: by an email of its own, by their next reminder, in the portal only, or never. */
export type NotifiedBy = 'email' | 'reminder' | 'portal' | 'nobody';
export const NOTIFIED_BY: Readonly<Record<ChangeAction, NotifiedBy>> = {
  accept: 'portal',
  return: 'email',
  reopen: 'reminder',
  cancel: 'reminder',
  reschedule: 'reminder',
  assign: 'nobody',
  remind: 'email',
  delete: 'portal',
};
/** Whether a batch sends emails as soon as it runs. */
export const mailsContacts = (action: BatchAction, isAnnounced: boolean): boolean =>
  action === 'create' ? isAnnounced : NOTIFIED_BY[action] === 'email';

/** Clients, or tasks, of one batch. */
export const MAX_BATCH = 10_000;
/** Changes of so few tasks are made at once, without a job. */
export const MAX_AT_ONCE = 20;
