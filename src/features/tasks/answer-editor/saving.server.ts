import { now } from '#platform/runtime/clock.server.ts';
import {
  mergeDecision,
  NO_EDITOR,
  type Change,
  type Editor,
  type KeptChange,
  type Outcome,
  type StoredAnswer,
} from './merging.ts';

/** Reads and writes the answers of one task or request, in the open transaction. */
export interface AnswerStore {
  /** What a tab entered at a path and is kept. */
  keptBy: (path: string, tab: string) => Promise<KeptChange | undefined>;
  /** Keeps what was entered where somebody else has changed the answer; returns its id. */
  keepAnswer: (entered: Pick<Change, 'path' | 'value' | 'editor'>) => Promise<string>;
  dropKept: (keptId: string) => Promise<unknown>;
  /** Writes an answer, or removes it with `undefined`; returns its version. */
  writeAnswer: (path: string, value: unknown, editor: Editor | undefined) => Promise<number>;
}

/** Saves a change of an answer, or keeps it beside one that somebody else has changed; `stored` follows what is written. */
export async function saveChange(
  store: AnswerStore,
  stored: Map<string, StoredAnswer>,
  { contactId, change }: { contactId: string; change: Change },
): Promise<Outcome> {
  const { path, editor } = change;
  const before = stored.get(path);
  const version = before?.version ?? 0;
  const kept = editor && (await store.keptBy(path, editor.tab));
  const decision = mergeDecision(before, kept, change);
  if (decision.kind === 'superseded') return { kind: 'superseded', version };
  if (decision.kind === 'conflict') {
    const keptId = await store.keepAnswer({ path, value: change.value, editor });
    return { kind: 'conflict', version, keptId, stored: before };
  }
  if (decision.decides !== undefined) await store.dropKept(decision.decides);
  if (decision.kind === 'same') return { kind: 'saved', version };
  const { value } = decision;
  const written = await store.writeAnswer(path, value ?? undefined, editor);
  stored.set(path, {
    path,
    value,
    version: written,
    changedAt: now(),
    changedBy: contactId,
    editor: editor ?? NO_EDITOR,
  });
  return { kind: 'saved', version: written };
}
