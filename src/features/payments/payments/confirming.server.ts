import type { Actor } from '#features/base/people/people.ts';
import { performSystemAction } from '#features/tasks/tasks/acting.server.ts';
import { assertManagesTasks } from '#features/tasks/tasks/creating.server.ts';
import { firmToday } from '#features/tasks/tasks/scope.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { auditPayment, completePayment, recordEvent, updateRequest } from './internal/requests.server.ts';
import { lockPayment } from './paying.server.ts';
import type { ReportedWay } from './payments.ts';

interface ReceivedMoney {
  way: ReportedWay;
  receivedOn: string;
  /** As on the statement of the bank; may be empty. */
  reference: string;
}

/**
 * Confirms that the money of a bank transfer or Pix has arrived, whether or not the client has reported it. FORBIDDEN;
 * NOT_FOUND; NOT_POSSIBLE unless it is unpaid, or while a provider processes it; INVALID for a day in the future.
 */
export async function confirmPayment(actor: Actor, taskId: string, money: ReceivedMoney): Promise<void> {
  await inTransaction(async () => {
    const { actor: current, task, request } = await lockPayment(actor, taskId);
    assertManagesTasks(current);
    if (request.state !== 'open' && request.state !== 'reported') throw new PortalError('NOT_POSSIBLE');
    if (money.receivedOn > (await firmToday(request.company_id)))
      throw new PortalError('INVALID', { field: 'receivedOn' });
    const by = current.contactId;
    await recordEvent({ taskId, source: 'firm', kind: 'confirmed', effect: 'paid', doneBy: by });
    await completePayment(request, task.status, {
      way: money.way,
      by,
      paidOn: money.receivedOn,
      reference: money.reference,
    });
  });
}

/**
 * Tells the client that the money they reported has not arrived, and why. FORBIDDEN; NOT_FOUND; NOT_POSSIBLE unless the
 * client has reported it; EMPTY without a reason.
 */
export async function rejectPayment(actor: Actor, taskId: string, reason: string): Promise<void> {
  if (reason.trim() === '') throw new PortalError('EMPTY', { field: 'reason' });
  await inTransaction(async () => {
    const { actor: current, request } = await lockPayment(actor, taskId);
    assertManagesTasks(current);
    if (request.state !== 'reported') throw new PortalError('NOT_POSSIBLE');
    const by = current.contactId;
    await performSystemAction(taskId, 'fail', { by });
    await updateRequest(taskId, { state: 'open', failure: 'missing', paid_by: '' }, reason.trim());
    await recordEvent({ taskId, source: 'firm', kind: 'not-arrived', effect: 'failed', doneBy: by });
    await auditPayment(request, by, 'payment.fail', { failure: 'missing' });
  });
}
