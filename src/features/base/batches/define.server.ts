import type { SelectQueryBuilder } from 'kysely';
import type { Actor } from '#features/base/people/people.ts';
import type { AuditEntry } from '#platform/security/audit.server.ts';
import type { PortalError } from '#platform/runtime/errors.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import type { Batch, Step } from './batches.ts';

/** A batch with what its kind stores about it. */
export type BatchOf<Input> = Batch & { input: Input };

/** The numbers of the rows of a part, both included. */
export interface Span {
  first: number;
  last: number;
}

/** The ids of batches, as part of a statement. */
export type BatchIds = SelectQueryBuilder<Tables, 'batches', { batch_id: string }>;

/** `lost`: the one as whom it ran may no longer do this. */
export type BatchEvent = 'begun' | 'stopped' | 'lost' | 'undoing' | 'done' | 'undone';

/**
 * What the batches of a kind do. Rows are numbered from 1 and stored by the kind, with the result of each. All of it
 * runs in the transaction of a part: killed at any moment, a batch leaves whole parts and goes on after the last one. So
 * what reaches the outside, such as an email, is queued.
 */
export interface BatchKind<Input = unknown, Row = unknown> {
  /** Its name in `batches.kind`. */
  name: string;
  /** How many rows are in a part of each step. */
  atOnce: Readonly<Partial<Record<Step, number>>>;
  /** A batch of so few rows is done at once, in the request that begins it. */
  inRequest?: number;
  /** Reads what the kind stores about a batch; NOT_FOUND. */
  inputOf(batchId: string): Promise<Input>;
  /** Throws FORBIDDEN or NOT_FOUND unless the actor may see and run the batch; asked again before each part. */
  assertMay(actor: Actor, batch: BatchOf<Input>): void;
  /** The rows of a part, in their order. */
  rows(batch: BatchOf<Input>, span: Span): Promise<Row[]>;
  /** Compares rows with what is there, changing nothing else. */
  check?(actor: Actor, batch: BatchOf<Input>, rows: readonly Row[]): Promise<void>;
  /** Does those rows that wait, and stores what became of them. If it refuses one, all are rolled back and tried alone. */
  run(actor: Actor, batch: BatchOf<Input>, rows: readonly Row[]): Promise<void>;
  /** Undoes those rows that are done, of which the last come first. A refusal is handled in the same way. */
  undo?(actor: Actor, batch: BatchOf<Input>, rows: readonly Row[]): Promise<void>;
  /** Stores why a row was refused that was tried alone; without it, the part is tried again later. */
  refuse?(batch: BatchOf<Input>, row: Row, error: PortalError): Promise<void>;
  /** What follows the last row, in its transaction. */
  finish?(actor: Actor, batch: BatchOf<Input>): Promise<void>;
  /** Whether the batch can be undone as far as it is done; by default if there is an `undo`. */
  isUndoable?(batch: BatchOf<Input>): boolean;
  /** What the audit log says; nothing by default. */
  auditOf?(
    event: BatchEvent,
    batch: BatchOf<Input>,
  ): Promise<Pick<AuditEntry, 'action' | 'details'> | undefined>;
  /** How long batches that nobody began are kept, and the rows of the others (ms); for ever by default. */
  lasts?: Readonly<{ unused: number; rows: number }>;
  /** Removes all that the kind stores about batches. */
  remove?(batches: BatchIds): Promise<void>;
  /** Removes only the rows of old batches, which stay in lists; by default all is removed. */
  removeRows?(batches: BatchIds): Promise<void>;
}

declare module '#platform/runtime/feature.server.ts' {
  interface Contributions {
    /** Its kinds of batches, by their names. */
    batches: Readonly<Record<string, BatchKind>>;
  }
}
