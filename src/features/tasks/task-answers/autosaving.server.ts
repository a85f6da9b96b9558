import type { Actor } from '#features/base/people/people.ts';
import type { ChangeResult, ParsedAnswerChanges } from '#features/tasks/answer-editor/answer-editor.ts';
import { saveSentChanges } from '#features/tasks/answer-editor/sent-changes.server.ts';
import { whileSaving } from '#features/tasks/tasks/answering.server.ts';
import { isComment } from '#features/tasks/tasks/task-forms.server.ts';
import { MAX_COMMENT, MAX_STEPS } from '#features/tasks/tasks/tasks.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/**
 * Saves changes of answers, of rows and of comments, in one transaction, and starts the task. FORBIDDEN for staff;
 * NOT_FOUND, CLOSED, EXPIRED: nothing is saved then.
 */
export async function saveChanges(
  actor: Actor,
  taskId: string,
  changes: ParsedAnswerChanges,
): Promise<ChangeResult[]> {
  if (actor.staff) throw new PortalError('FORBIDDEN');
  return whileSaving(actor, taskId, (save, form, stored, row) =>
    saveSentChanges(actor, changes, {
      form,
      stored,
      save,
      client: { companyId: row.company_id, clientId: row.client_id },
      lockedText: translationsFor(changes.language, 'tasks')('refusedAccepted'),
      otherValueAt: (path, sent) =>
        isComment(path) ? commentAt(path, sent, form?.sections.length ?? MAX_STEPS) : undefined,
    }),
  );
}

function commentAt(path: string, sent: unknown, steps: number): { value: string | null } | undefined {
  const text = sent ?? '';
  if (typeof text !== 'string' || text.length > MAX_COMMENT || Number.parseInt(path, 10) > steps)
    return undefined;
  return { value: text.replaceAll('\r\n', '\n').trim() || null };
}
