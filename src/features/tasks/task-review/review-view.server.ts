import type { Actor } from '#features/base/people/people.ts';
import { isSameAnswer, ownValue } from '#features/tasks/questionnaires/answer-values.ts';
import { displayValue } from '#features/tasks/questionnaires/display.server.ts';
import type { Answers, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { questionAt } from '#features/tasks/questionnaires/rules.ts';
import { shownAnswers, type ShownAnswer } from '#features/tasks/task-submissions/answers-view.server.ts';
import {
  decisionsOf,
  languageOfSubmitter,
  newestReasons,
  submissionOf,
  type Decision,
} from '#features/tasks/tasks/decisions.server.ts';
import { answersIn, itemsOf } from '#features/tasks/tasks/items.ts';
import type { TaskRow } from '#features/tasks/tasks/scope.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

export interface ReviewAnswer extends ShownAnswer {
  /** The answer of the submission before, if it was another one. */
  before?: string;
}

/** An item with its answers, and what the firm has decided about it. */
interface ReviewItem {
  path: string;
  title: string;
  answers: ReviewAnswer[];
  /** `earlier`: accepted in the submission before, and not changed since. */
  state: 'open' | 'accepted' | 'returned' | 'earlier';
  reason: string;
  sequence: number;
  isChanged: boolean;
  /** Why it was returned the last time. */
  returnedBefore: string;
}

export interface Review {
  submission: number;
  sections: { key: string; title: string; items: ReviewItem[] }[];
  counts: { all: number; checked: number; returned: number; hidden: number };
  /** Whether only what is new since the last submission is shown. */
  isShort: boolean;
  /** The reasons that the firm gives often, in the language of the person who submitted. */
  reasons: string[];
}

interface Options {
  lang: Lang;
  row: TaskRow;
  form: Template;
  answers: Answers;
  /** Shows all items, also those that were accepted before. */
  isAll: boolean;
}

/**
 * A submission for the firm's review. After a return it shows only what the client changed and what was returned, unless
 * all is asked for.
 */
export async function reviewOf(actor: Actor, { lang, row, form, answers, isAll }: Options): Promise<Review> {
  const taskId = row.task_id;
  const decisions = await decisionsOf(taskId, row.submission);
  const before = await submissionOf(taskId, { upTo: row.submission - 1, decision: 'returned' });
  const earlier = before && {
    answers: answersIn(before.answers),
    decisions: await decisionsOf(taskId, before.number),
  };
  const known = new Set(earlier ? itemsOf(form, earlier.answers) : []);
  const returnedItems = [...(earlier?.decisions ?? [])].filter(([, { decision }]) => decision === 'returned');
  const textOf = (path: string): string => {
    const question = questionAt(form, path);
    return question ? displayValue(question, earlier?.answers[path], { lang, template: form }) : '';
  };
  const changesOf = ({ path, ...answer }: ShownAnswer): ReviewAnswer => {
    const isChanged = earlier && !isSameAnswer(ownValue(earlier.answers[path]), ownValue(answers[path]));
    return { path, ...answer, ...(isChanged && { before: textOf(path) }) };
  };
  const itemOf = (path: string, shown: ShownAnswer[]): ReviewItem => {
    const all = shown.map(changesOf);
    const decided = decisions.get(path);
    const returnedBefore = returnedItems.find(([each]) => each === path)?.[1].reason ?? '';
    const isChanged =
      earlier !== undefined && (all.some(({ before: text }) => text !== undefined) || !known.has(path));
    const wasAccepted = returnedItems.length > 0 && known.has(path) && returnedBefore === '' && !isChanged;
    return {
      path,
      title: (shown[0]?.row || shown[0]?.label) ?? '',
      answers: all,
      state: stateOf(decided, wasAccepted),
      reason: decided?.reason ?? '',
      sequence: decided?.sequence ?? 0,
      isChanged,
      returnedBefore,
    };
  };
  const sections = (await shownAnswers(actor, lang, form, answers)).map(({ key, title, answers: shown }) => ({
    key,
    title,
    items: [...Map.groupBy(shown, ({ item }) => item)].map(([path, each]) => itemOf(path, each)),
  }));
  const items = sections.flatMap((section) => section.items);
  const isNew = ({ isChanged, returnedBefore, state }: ReviewItem): boolean =>
    isChanged || returnedBefore !== '' || state === 'returned' || state === 'accepted';
  const isShort = !isAll && earlier !== undefined && items.some(isNew);
  return {
    submission: row.submission,
    sections: sections
      .map((section) => ({ ...section, items: isShort ? section.items.filter(isNew) : section.items }))
      .filter((section) => section.items.length > 0),
    counts: {
      all: items.length,
      checked: items.filter(({ state }) => state !== 'open').length,
      returned: items.filter(({ state }) => state === 'returned').length,
      hidden: isShort ? items.filter((item) => !isNew(item)).length : 0,
    },
    isShort,
    reasons: await frequentReasons(row, lang),
  };
}

const stateOf = (decided: Decision | undefined, wasAccepted: boolean): ReviewItem['state'] =>
  decided && (decided.decision !== 'open' || !wasAccepted)
    ? decided.decision
    : wasAccepted
      ? 'earlier'
      : 'open';

const SHOWN_REASONS = 8;

/** What the firm has written most often, and then what firms write. */
async function frequentReasons(row: TaskRow, lang: Lang): Promise<string[]> {
  const counts = new Map<string, number>();
  for (const reason of await newestReasons(row.company_id, 200))
    if (reason.length <= 200) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const own = [...counts].toSorted(([, a], [, b]) => b - a).map(([reason]) => reason);
  const t = translationsFor(await languageOfSubmitter(row, lang), 'task-review');
  const usual = (
    ['reasonPage', 'reasonUnreadable', 'reasonYear', 'reasonDocument', 'reasonIncomplete'] as const
  ).map((key) => t(key));
  return [...new Set([...own.slice(0, SHOWN_REASONS - 3), ...usual])].slice(0, SHOWN_REASONS);
}
