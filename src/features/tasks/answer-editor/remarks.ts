import { atom } from 'nanostores';
import type { AnswerValue, Answers } from '#features/tasks/questionnaires/questionnaires.ts';
import type { AnswerQueue } from './answer-queue.ts';

/*
 * What an editor tells those who check its answers beside it, while somebody types, and what they have to say. The editor
 * knows nothing of them.
 */

interface Filled {
  answers: Answers;
  /** Answers that the page keeps to itself, as far as they were typed; null for one that was removed. */
  sensitive: Readonly<Record<string, AnswerValue | null>>;
  /** What the portal does not have yet. */
  queue?: Pick<AnswerQueue, '$state'>;
}

/** What the step on the page contains; undefined before it was touched. */
export const $filled = atom<Filled | undefined>();

export const setFilled = (change: Partial<Filled>): void =>
  $filled.set({ answers: {}, sensitive: {}, ...$filled.get(), ...change });

/** What somebody has to say about an answer. */
export interface Remark {
  rule: string;
  severity: 'blocks' | 'confirm' | 'warns' | 'informs';
  /** The severity in words. */
  mark: string;
  text: string;
  law: string;
}

/** The remarks by the paths of questions and groups; those about the whole step are at the empty path. */
export const $remarks = atom<Readonly<Record<string, readonly Remark[]>>>({});
