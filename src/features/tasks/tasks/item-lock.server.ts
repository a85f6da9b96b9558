import type { AnswerChange, Answers, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { rowsOf } from '#features/tasks/questionnaires/rules.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { decisionsOf, submissionOf } from './decisions.server.ts';
import { answersIn, isLocked, itemsOf, type ItemLock } from './items.ts';
import { isPending } from './rules.ts';
import type { TaskRow } from './scope.server.ts';
import { questionAnswers } from './task-forms.server.ts';

/** What a client may change in a task of which single items were returned; undefined if all is open. */
export async function itemLockOf(row: TaskRow, form: Template): Promise<ItemLock | undefined> {
  if (row.submission === 0 || !isPending(row.status)) return undefined;
  const last = await submissionOf(row.task_id);
  if (last?.decision !== 'returned') return undefined;
  const returned = new Map(
    [...(await decisionsOf(row.task_id, last.number))]
      .filter(([, { decision }]) => decision === 'returned')
      .map(([path, { reason }]) => [path, reason]),
  );
  if (returned.size === 0) return undefined;
  const items = itemsOf(form, answersIn(last.answers));
  return { returned, accepted: new Set(items.filter((path) => !returned.has(path))) };
}

/**
 * Returns a function that throws LOCKED if a change is about an item that was not returned, or sets aside a step that has
 * one.
 */
export async function openItemsOf(
  row: TaskRow,
  form: Template | undefined,
): Promise<(change: AnswerChange) => void> {
  const lock = form && (await itemLockOf(row, form));
  if (!lock) return () => undefined;
  const { answers } = await questionAnswers(row.task_id);
  const isClosedStep = (number: number): boolean => {
    const key = form.sections[number - 1]?.key;
    return [...lock.accepted].some((path) => path.split('.')[0] === key);
  };
  return ({ path, value }) => {
    const step = /^(\d+)#not-apply$/.exec(path)?.[1];
    const isClosed =
      step === undefined
        ? isLocked(lock, path) || removesLockedRow(lock, { path, value }, answers)
        : isClosedStep(Number(step));
    if (isClosed) throw new PortalError('LOCKED', { path });
  };
}

function removesLockedRow(lock: ItemLock, { path, value }: AnswerChange, answers: Answers): boolean {
  if (!path.endsWith('#order')) return false;
  const group = path.slice(0, -'#order'.length);
  const left: unknown[] = Array.isArray(value) ? value : [];
  return rowsOf(answers, group).some((id) => !left.includes(id) && lock.accepted.has(`${group}.${id}`));
}
