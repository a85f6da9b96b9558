/** An export of everything about one client, or about the whole firm. */
export interface DataExport {
  id: string;
  /** Undefined for the whole firm. */
  client: { id: string; name: string } | undefined;
  state: ExportState;
  /** Why it failed. */
  problem: ExportProblem | '';
  by: string;
  /** Bytes of the documents that are written, and of all of them. */
  written: number;
  total: number;
  /** Documents that it lacks: infected or damaged ones. */
  omitted: number;
  size: number;
  createdAt: number;
  /** When the file is removed. */
  expiresAt: number | undefined;
}

export type ExportState = 'waiting' | 'building' | 'ready' | 'failed' | 'cancelled' | 'expired';
export type ExportProblem = 'QUOTA' | 'FORBIDDEN' | 'ERROR';

export const isAtWork = (state: ExportState): boolean => state === 'waiting' || state === 'building';

/** How many days the file of an export can be downloaded. */
export const DAYS_KEPT = 7;
