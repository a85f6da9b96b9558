import { z } from 'zod';

/** What a file may contain. */
export const IMPORT_KINDS = ['clients', 'contacts', 'links'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];
export const importKind = z.enum(IMPORT_KINDS);

/**
 * `mapping`: uploaded, its columns are not assigned. `checking`: every row is compared with what is there.
 * `ready`: waits to be confirmed. `importing`, `undoing`: at work. `finished`, `cancelled` by someone,
 * `stopped` because whoever started it may no longer do so; `undone`.
 */
export const IMPORT_STATES = [
  'mapping',
  'checking',
  'ready',
  'importing',
  'finished',
  'cancelled',
  'stopped',
  'undoing',
  'undone',
] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** States in which a job is at work. */
export const isAtWork = (state: ImportState): boolean =>
  state === 'checking' || state === 'importing' || state === 'undoing';

/** What a row does: `none` changes nothing, and a row with a problem is left out. */
const ROW_ACTIONS = ['create', 'update', 'none', 'problem'] as const;
export type RowAction = (typeof ROW_ACTIONS)[number];

/** `kept`: could not be undone, for one of {@link KEPT_REASONS}. */
export type RowState = 'waiting' | 'done' | 'failed' | 'undone' | 'kept';

/** Why a row cannot be imported. */
const ROW_PROBLEMS = [
  'QUOTES',
  'COLUMNS',
  'CELL_TOO_LONG',
  'MISSING',
  'TOO_LONG',
  'INVALID',
  'TAX_ID',
  'EMAIL',
  'LANGUAGE',
  'COUNTRY',
  'DAY',
  'KIND',
  'STAFF_UNKNOWN',
  'CLIENT_UNKNOWN',
  'CONTACT_UNKNOWN',
  'IS_STAFF',
  'SAME_AS_LINE',
  'ARCHIVED',
  'CHANGED',
] as const;
export type ProblemCode = (typeof ROW_PROBLEMS)[number];

/** Why what a row did cannot be undone: it was changed since, or other things refer to it. */
const KEPT_REASONS = ['CHANGED_SINCE', 'IN_USE', 'GONE'] as const;
export type KeptReason = (typeof KEPT_REASONS)[number];

export const rowProblem = z.strictObject({
  code: z.enum([...ROW_PROBLEMS, ...KEPT_REASONS]),
  /** The field concerned. */
  field: z.string().optional(),
  /** Another line of the file. */
  line: z.number().int().optional(),
});
export type RowProblemOf = z.infer<typeof rowProblem>;

/** The import of a file, without its rows. */
export interface Import {
  id: string;
  kind: ImportKind;
  state: ImportState;
  fileName: string;
  /** Who started it. */
  by: string;
  columns: readonly string[];
  /** The field of each column; empty for those that are left out. */
  mapping: readonly string[];
  total: number;
  /** How many rows the present step has passed. */
  position: number;
  /** Whether contacts without access are invited when it is finished. */
  invites: boolean;
  /** How many invitations it queued. */
  invited: number;
  createdAt: number;
  finishedAt: number | undefined;
}

export interface ImportCounts {
  actions: Readonly<Record<RowAction, number>>;
  states: Readonly<Record<RowState, number>>;
}

/** A row as the list shows it. */
export interface ImportRow {
  number: number;
  line: number;
  /** What identifies the record, such as its number and name. */
  label: string;
  action: RowAction | '';
  state: RowState;
  problems: readonly RowProblemOf[];
  /** The fields that change. */
  changes: readonly string[];
}

const show = z.enum(['all', ...ROW_ACTIONS, 'failed', 'kept']);

/** The rows that a page shows. */
export const rowQuery = z.object({
  show: show.default('all'),
  pageNum: z.coerce.number().int().min(1).max(10_000).default(1),
});
export type RowQuery = z.infer<typeof rowQuery>;
