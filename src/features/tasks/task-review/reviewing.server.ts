import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { assertPossible } from '#features/tasks/tasks/acting.server.ts';
import { assertManagesTasks } from '#features/tasks/tasks/creating.server.ts';
import { addDecision, decisionsOf, type Decision } from '#features/tasks/tasks/decisions.server.ts';
import { itemsOf } from '#features/tasks/tasks/items.ts';
import { lockTask } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask, questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import { MAX_COMMENT } from '#features/tasks/tasks/tasks.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';

/** A decision about an item, with what the page showed: the submission, and the sequence of the decision before. */
export interface ItemDecision extends Decision {
  path: string;
  submission: number;
}

/**
 * Accepts or returns one item of a submitted task, or with `open` undoes that. The client sees it when the task is
 * returned. NOT_FOUND, also for what is no item; FORBIDDEN; NOT_POSSIBLE unless the task waits for the firm; EMPTY to
 * return without a reason; EDIT_CONFLICT if somebody else has decided meanwhile, or it was submitted again.
 */
export async function decideItem(
  actor: Actor,
  taskId: string,
  { path, submission, decision, reason, sequence }: ItemDecision,
): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    assertManagesTasks(current);
    const row = await lockTask(current, taskId);
    await assertPossible(current, row, 'return');
    const form = await formOfTask(row);
    const { answers } = await questionAnswers(taskId);
    if (!form || !itemsOf(form, answers).includes(path)) throw notFound();
    const text = decision === 'returned' ? reason.trim().slice(0, MAX_COMMENT) : '';
    if (decision === 'returned' && text === '') throw new PortalError('EMPTY', { field: 'reason' });
    const before = (await decisionsOf(taskId, row.submission)).get(path);
    if (submission !== row.submission || sequence !== (before?.sequence ?? 0))
      throw new PortalError('EDIT_CONFLICT', { path });
    if ((before?.decision ?? 'open') === decision && (before?.reason ?? '') === text) return;
    await addDecision(
      current.contactId,
      { taskId, submission, path },
      { decision, reason: text, sequence: sequence + 1 },
    );
  });
}
