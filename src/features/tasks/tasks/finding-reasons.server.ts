import type { Actor } from '#features/base/people/people.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { whileSaving } from './answering.server.ts';
import { reasonPath } from './task-forms.server.ts';
import { MAX_COMMENT } from './tasks.ts';

/**
 * Saves why the client wants what a rule asks a reason for; an empty text removes it. NOT_FOUND, CLOSED, EXPIRED; INVALID
 * unless the task names the rule, and for a reason that is too long.
 */
export async function saveReason(
  actor: Actor,
  taskId: string,
  { rule, id, reason }: { rule: string; id: string; reason: string },
): Promise<void> {
  const text = reason.replaceAll('\r\n', '\n').trim();
  if (text.length > MAX_COMMENT) throw new PortalError('INVALID', { field: 'reason' });
  await whileSaving(actor, taskId, (save, form) => {
    const isNamed = form?.checks?.some((check) => check.rule === rule) === true;
    if (!isNamed || !/^\w{1,20}$/.test(id)) throw new PortalError('INVALID', { field: 'rule' });
    return save({ path: reasonPath({ rule, id }), value: text || null });
  });
}
