import type { Answers, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import {
  isGroup,
  orderPath,
  visibleSections,
  type FrozenAnswer,
} from '#features/tasks/questionnaires/rules.ts';

/*
 * The items of a task, which the firm accepts or returns one by one: a question, a row of a group as a whole, or a group
 * that has no rows. Pure.
 */

/** The item that an answer belongs to: `section.question`, or `section.group.row`. */
export const itemOf = (path: string): string => path.split('.').slice(0, 3).join('.');

/** The group that a row belongs to. */
const groupOf = (item: string): string => item.split('.').slice(0, 2).join('.');

/** The items that apply with these answers. */
export const itemsOf = (form: Template, answers: Answers): string[] =>
  visibleSections(form, answers).flatMap(({ items }) =>
    items.flatMap((item) => {
      if (!isGroup(item)) return item.question.kind === 'note' ? [] : [item.path];
      return item.rows.length === 0 ? [item.path] : item.rows.map(({ id }) => `${item.path}.${id}`);
    }),
  );

/** Frozen answers as those of a task, with the rows of its groups. */
export function answersIn(frozen: readonly FrozenAnswer[]): Answers {
  const rows = new Map<string, string[]>();
  for (const { path } of frozen) {
    const [section, group, row, question] = path.split('.');
    if (row === undefined || question === undefined) continue;
    const order = orderPath(`${section}.${group}`);
    const known = rows.get(order) ?? [];
    if (!known.includes(row)) rows.set(order, [...known, row]);
  }
  return Object.fromEntries([...frozen.map(({ path, value }) => [path, value] as const), ...rows]);
}

/** What a client may still change after the firm returned single items of a submission. */
export interface ItemLock {
  /** Why each item was returned. */
  returned: ReadonlyMap<string, string>;
  /** The other items of that submission. */
  accepted: ReadonlySet<string>;
}

/** Whether an answer, or with `#order` the list of a group's rows, is closed. What was not asked then is open. */
export function isLocked({ returned, accepted }: ItemLock, path: string): boolean {
  if (!path.endsWith('#order')) return accepted.has(itemOf(path));
  const group = path.slice(0, -'#order'.length);
  const isInGroup = (item: string): boolean => groupOf(item) === group;
  return [...accepted].some(isInGroup) && ![...returned.keys()].some(isInGroup);
}
