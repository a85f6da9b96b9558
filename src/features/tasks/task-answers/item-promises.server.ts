import type { Actor } from '#features/base/people/people.ts';
import { isGroup, questionAt, visibleSections } from '#features/tasks/questionnaires/rules.ts';
import type { Answers, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { whileSaving } from '#features/tasks/tasks/answering.server.ts';
import { taskItemsPromised } from '#features/tasks/tasks/events.server.ts';
import { firmToday } from '#features/tasks/tasks/scope.server.ts';
import { questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { isDate } from '#platform/inputs/dates.ts';
import { addDays } from '#platform/text/time-zones.ts';

/* "I'll get it by …": the date by which a contact wants to send the documents of a question. */

/** How far ahead documents can be promised. */
const MAX_DAYS = 366;

/**
 * Stores the date by which a contact sends the documents of a question; without a date, withdraws it. Documents that
 * are sent replace it. Does nothing to a question that has documents. NOT_FOUND, CLOSED, EXPIRED, LOCKED; INVALID for a
 * question that offers no date, or for a date that is over or more than a year ahead.
 */
export async function promiseItem(
  actor: Actor,
  taskId: string,
  path: string,
  by: string | undefined,
): Promise<void> {
  const today = await firmToday(actor.companyId);
  if (by !== undefined && (!isDate(by) || by < today || by > addDays(today, MAX_DAYS)))
    throw new PortalError('INVALID', { field: 'by' });
  await whileSaving(actor, taskId, async (save, form, stored) => {
    const question = form && questionAt(form, path);
    if (!form || question?.kind !== 'files' || !question.notYet)
      throw new PortalError('INVALID', { field: 'path' });
    if (Array.isArray(stored.get(path)?.value)) return;
    await save({ path, value: by === undefined ? null : { notYet: true, by } });
    const { answers } = await questionAnswers(taskId);
    const promisedOn = lastPromise(form, answers);
    if (promisedOn !== undefined)
      await taskItemsPromised.announce({ taskId, contactId: actor.contactId, promisedOn });
  });
}

/** The last of the promised dates, if nothing else that is required is open. */
function lastPromise(form: Template, answers: Answers): string | undefined {
  const questions = visibleSections(form, answers)
    .flatMap(({ items }) => items)
    .flatMap((item) => (isGroup(item) ? item.rows.flatMap((row) => row.questions) : [item]));
  const isOpen = questions.some(
    ({ question, reading }) => question.kind !== 'note' && question.required && reading.state === 'empty',
  );
  if (isOpen) return undefined;
  const dates = questions.flatMap(({ reading }) =>
    reading.state === 'notYet' && reading.by !== undefined ? [reading.by] : [],
  );
  return dates.toSorted().at(-1);
}
