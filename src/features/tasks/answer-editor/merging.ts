import { isSameAnswer } from '#features/tasks/questionnaires/answer-values.ts';
import type { AnswerChange } from '#features/tasks/questionnaires/questionnaires.ts';
import { isRowId } from '#features/tasks/questionnaires/rules.ts';

/*
 * What becomes of a change of an answer that others may change at the same time. Each answer has a version: a change that
 * is based on another one never overwrites it, but is kept beside it until one of the two is chosen, so that nothing typed
 * is lost. Pure; the owner of the answers stores them.
 */

/** A tab in which somebody answers, and the number of its change: a later one replaces an earlier one. */
export interface Editor {
  tab: string;
  sequence: number;
}

/** A form that is posted as a whole. */
export const NO_EDITOR: Editor = { tab: '', sequence: 0 };

/** A stored value, and its version, which begins at 1. */
export interface StoredAnswer {
  path: string;
  value: unknown;
  version: number;
  changedAt: number;
  changedBy: string;
  /** The editor that wrote it. */
  editor: Editor;
}

/** A new value of a path, based on a version: 0 for none. Without a base it is written whatever there is. */
export interface Change extends AnswerChange {
  base?: number | undefined;
  editor?: Editor | undefined;
}

/** What a tab entered at a path and is kept beside the stored answer, with the number of its change. */
export interface KeptChange {
  keptId: string;
  sequence: number;
}

/** What became of a change. `version` is the one that is stored now. */
export type Outcome =
  | { kind: 'saved'; version: number }
  /** The same tab has sent a later change already: this one arrived late and is written nowhere. */
  | { kind: 'superseded'; version: number }
  /** Somebody else has changed the answer meanwhile. */
  | { kind: 'conflict'; version: number; keptId: string; stored: StoredAnswer | undefined };

/** What is to be done with a change. */
export type Decision =
  | { kind: 'superseded' }
  | { kind: 'conflict' }
  /** `decides`: what the tab entered in a conflict, which this change replaces. */
  | { kind: 'same' | 'write'; value: AnswerChange['value']; decides?: string };

/** Decides what becomes of a change, given what is stored and what its tab has entered in a conflict. */
export function mergeDecision(
  stored: StoredAnswer | undefined,
  kept: KeptChange | undefined,
  change: Change,
): Decision {
  const { path, base, editor } = change;
  const isOwn = editor !== undefined && stored?.editor.tab === editor.tab;
  if (isOwn && editor.sequence < stored.editor.sequence) return { kind: 'superseded' };
  if (kept && editor && editor.sequence < kept.sequence) return { kind: 'superseded' };
  const isCurrent = base === undefined || base === (stored?.version ?? 0);
  const isRows = path.endsWith('#order');
  const isMerged = isRows && (!isCurrent || change.known !== undefined);
  const value = isMerged ? mergedRows(stored?.value, change) : change.value;
  if (!isCurrent && !isOwn && !isRows && !isSameAnswer(stored?.value ?? null, value))
    return { kind: 'conflict' };
  const isSame = stored !== undefined && isSameAnswer(stored.value, value);
  const isLater = kept !== undefined && editor !== undefined && kept.sequence < editor.sequence;
  return { kind: isSame ? 'same' : 'write', value, ...(isLater && { decides: kept.keptId }) };
}

/** The rows of a group after two people have added and removed some: all that were added, none that was removed. */
function mergedRows(stored: unknown, { value, base, known: seen = [] }: Change): string[] {
  const sent = rowIds(value);
  // before the first version there was no row to remove: those that the page showed are new
  const known = base === 0 ? [] : seen;
  const left = rowIds(stored).filter((id) => sent.includes(id) || !known.includes(id));
  return [...left, ...sent.filter((id) => !known.includes(id) && !left.includes(id))];
}

const rowIds = (value: unknown): string[] => (Array.isArray(value) ? value.filter(isRowId) : []);
