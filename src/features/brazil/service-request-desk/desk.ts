import type { BatchState } from '#features/base/batches/batches.ts';
import type { RowState } from '#features/base/batches/rows.ts';

/*
 * Changes of many requests: what would be done is listed first, then it runs as a job that can be stopped and continued, and an
 * assignment can be undone. An export is a list of requests whose files are made while they are sent.
 */

export const DESK_ACTIONS = ['take', 'assign', 'remind', 'export'] as const;
export type DeskAction = (typeof DESK_ACTIONS)[number];

export const EXPORT_FORMATS = ['json', 'csv', 'zip'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/**
 * Why something is not done with a request: its state does not allow it, someone is responsible already, the client was
 * reminded within a day or has nobody who can be, nothing was sent yet, it is gone, or someone changed it in the meantime.
 */
export type RowProblem = 'STATUS' | 'TAKEN' | 'TOO_SOON' | 'UNREACHED' | 'NOT_SENT' | 'GONE' | 'CHANGED';

/** What a client has not noticed can be undone. */
export const isUndoable = (action: DeskAction): boolean => action === 'take' || action === 'assign';

export interface DeskBatch {
  id: string;
  action: DeskAction;
  state: BatchState;
  total: number;
  position: number;
  counts: Record<RowState, number>;
}

export interface DeskRow {
  requestId: string;
  title: string;
  clientId: string;
  client: string;
  state: RowState;
  problem: RowProblem | '';
}

/** Requests of one batch. */
export const MAX_BATCH = 10_000;
/** As many are changed within the request, without a job. */
export const MAX_AT_ONCE = 20;
