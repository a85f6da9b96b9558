import { z } from 'zod';
import type { BatchState, StopReason } from '#features/base/batches/batches.ts';

/** The name of what a file contains: one of the kinds that features contribute (`importKinds`). */
export type ImportKind = string;

/**
 * What a row does: `none` changes nothing. A row with a problem is left out, and so is one that may be a record that
 * exists (`duplicate`), unless somebody decides otherwise.
 */
const ROW_ACTIONS = ['create', 'update', 'none', 'problem', 'duplicate'] as const;
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
  'ZERO_LOST',
  'SCIENTIFIC',
  'CELL_ERROR',
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
  'DUPLICATE',
  'DUPLICATE_LINE',
  'TAX_ID_TAKEN',
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
  /** The id of the record that it may be. */
  duplicateOf: z.string().optional(),
});
export type RowProblemOf = z.infer<typeof rowProblem>;

/** The message keys of the states. Somebody who stops an import has cancelled it. */
export const STATES = {
  draft: 'state_mapping',
  checking: 'state_checking',
  ready: 'state_ready',
  running: 'state_importing',
  done: 'state_finished',
  stopped: 'state_cancelled',
  undoing: 'state_undoing',
  undone: 'state_undone',
} as const satisfies Record<BatchState, string>;

/** Where a table was found in its file. */
export const foundPlace = z.strictObject({
  /** The line, or row of the sheet, with the names of the columns. */
  headingLine: z.number().int(),
  /** Of a workbook: the sheet that was read, and the names of all. */
  sheet: z.string().optional(),
  sheets: z.array(z.string()).optional(),
});
export type FoundPlace = z.infer<typeof foundPlace>;

/** The import of a file, without its rows. */
export interface Import {
  id: string;
  kind: ImportKind;
  /** `draft`: uploaded, its columns are not assigned. */
  state: BatchState;
  stoppedBy: StopReason | '';
  fileName: string;
  /** Who started it. */
  by: string;
  columns: readonly string[];
  /** Where the table is in the file, as long as another place can be read. */
  place: FoundPlace | undefined;
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
  /** The number with the zeros that a spreadsheet dropped, where its check digits fit. */
  repaired: string | undefined;
  /** The record that it may be. */
  duplicateOf: { id: string; title: string } | undefined;
}

/** What is done with a row that may be a record that exists. */
export const duplicateDecision = z.enum(['leave', 'update', 'create']);
export type DuplicateDecision = z.infer<typeof duplicateDecision>;

const show = z.enum(['all', ...ROW_ACTIONS, 'failed', 'kept']);

/** The rows that a page shows. */
export const rowQuery = z.object({
  show: show.default('all'),
  pageNum: z.coerce.number().int().min(1).max(10_000).default(1),
});
export type RowQuery = z.infer<typeof rowQuery>;
