import type { Actor } from '#features/base/people/people.ts';
import type { Text } from '#platform/text/texts.ts';
import type { ImportKind, KeptReason, RowProblemOf } from './imports.ts';

/** The values of a row by field: trimmed, and only those that are not empty. An empty cell changes nothing. */
export type RowValues = Readonly<Record<string, string>>;

export interface Field {
  /** Unique among the fields of all kinds that have another label. */
  name: string;
  /** Its label; those of clients and people are texts of imports. */
  label?: Text;
  /** How columns of other programs are named, without accents and punctuation, besides its label in any language. */
  headers?: readonly string[];
  /** Without a column for it nothing can be imported. */
  isRequired?: true;
}

/** What a row would do. */
export type Verdict =
  | { action: 'problem'; problems: readonly RowProblemOf[] }
  /** It may be the record `target`, or that of an earlier row, by its index. */
  | { action: 'duplicate'; target: string; changes: readonly string[]; earlierRow?: number }
  | { action: 'create' }
  | { action: 'update' | 'none'; target: string; changes: readonly string[] };

/** What a row without problems would do. */
export type RowStep = Exclude<Verdict, { action: 'problem' | 'duplicate' }>;

export interface RowToApply {
  values: RowValues;
  step: RowStep;
  /** Somebody decided that it is a record of its own. */
  allowDuplicate?: boolean;
}

export interface RowToUpdate {
  values: RowValues;
  step: Exclude<RowStep, { action: 'create' }>;
}

/** What a row did: the id of the record, and for the undo what it was before; none if it was created. */
export interface Applied {
  target: string;
  before?: unknown;
}

/** How rows of one kind are checked, imported, undone and exported again. */
export interface RecordKind {
  kind: ImportKind;
  /** What such a file contains, in the plural. */
  title: Text;
  /** Its place among the kinds. */
  order: number;
  fields: readonly Field[];
  /** Identifies the record; rows with the same key are duplicates. Undefined without the necessary values. */
  keyOf: (values: RowValues) => string | undefined;
  /** The name of the record in lists. */
  labelOf: (values: RowValues) => string;
  /** Throws FORBIDDEN unless the actor may import such records. */
  assertMay: (actor: Actor) => void;
  /** Whether the firm has a use for it, so that its page offers it; always by default. */
  isOffered?: (actor: Actor) => Promise<boolean>;
  /** Compares rows with what there is, without changing anything. */
  check: (actor: Actor, rows: readonly RowValues[]) => Promise<Verdict[]>;
  /**
   * Does what the verdicts say, in the open transaction, and returns what each did. If one is refused, all are:
   * each is tried alone then.
   */
  apply: (actor: Actor, rows: readonly RowToApply[]) => Promise<Applied[]>;
  /** Undoes it, in the open transaction; the reason if that is not possible. */
  undo: (actor: Actor, values: RowValues, applied: Applied) => Promise<KeptReason | undefined>;
  /** The invitation that a row has created or found, of the id that it has stored; absent if it has none. */
  invitationIn?: (target: string) => string | undefined;
  /** The names of records that rows may be, by their ids; absent where that cannot happen. */
  titlesOf?: (actor: Actor, ids: readonly string[]) => Promise<Map<string, string>>;
  /** All records that the actor sees, as rows with these fields in their order. */
  list: (actor: Actor) => Promise<string[][]>;
}

/** What each row did: those that created a record, whose ids are given in their order, and the others by `update`. */
export async function appliedOf(
  rows: readonly RowToApply[],
  created: readonly string[],
  update: (row: RowToUpdate) => Promise<Applied>,
): Promise<Applied[]> {
  const ids = created.values();
  const applied: Applied[] = [];
  for (const { step, values } of rows)
    applied.push(
      step.action === 'create' ? { target: ids.next().value ?? '' } : await update({ step, values }),
    );
  return applied;
}
