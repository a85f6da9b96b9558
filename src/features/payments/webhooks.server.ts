import { performSystemAction } from '#features/tasks/acting.server.ts';
import { isPending } from '#features/tasks/rules.ts';
import { firmToday, lockTaskOfSystem, type TaskRow } from '#features/tasks/scope.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { PortalError, refusal } from '#platform/errors.server.ts';
import { log } from '#platform/log.server.ts';
import { paymentUnclear } from './events.server.ts';
import {
  auditPayment,
  completePayment,
  recordEvent,
  checkoutRow,
  requestRow,
  updateRequest,
  type CheckoutRow,
  type RequestRow,
} from './internal/requests.server.ts';
import type { ProviderName } from './payments.ts';
import { isAvailable, providerNamed } from './providers/available.server.ts';
import type { ProviderMessage, ReportedState } from './providers/provider.ts';

/**
 * What a message of a provider led to. `late` is one that a newer message has overtaken; the last three are money that
 * the firm has to look at.
 */
export type MessageEffect =
  ReportedState | 'repeated' | 'unknown' | 'ignored' | 'late' | 'other-amount' | 'paid-twice' | 'paid-closed';

const UNCLEAR: readonly MessageEffect[] = ['other-amount', 'paid-twice', 'paid-closed'];

/**
 * Takes a message of a provider: only such a message completes a payment online. It has its effect once, whatever the
 * order in which messages arrive and however often. NOT_FOUND for a provider that is not available, FORBIDDEN if it is
 * not signed by the provider, INVALID if it cannot be read.
 */
export async function receiveMessage(
  provider: ProviderName,
  body: string,
  headers: Headers,
): Promise<MessageEffect> {
  if (!isAvailable(provider)) throw new PortalError('NOT_FOUND');
  const message = providerNamed(provider).readMessage(body, headers);
  return inTransaction(async () => {
    const checkout = message.state && (await checkoutOf(provider, message));
    // the lock of the task comes first: messages about one checkout wait for each other
    const task = checkout && (await lockedTask(checkout.task_id));
    const eventId = await recordEvent({
      taskId: checkout?.task_id ?? null,
      source: provider,
      sourceEventId: message.id,
      kind: message.kind,
      body,
    });
    if (eventId === undefined) return 'repeated';
    const effect = checkout ? await apply(checkout, task, message) : message.state ? 'unknown' : 'ignored';
    await db().updateTable('payment_events').set({ effect }).where('event_id', '=', eventId).execute();
    if (effect === 'unknown') log.warn({ event: 'payments.unknown-checkout' });
    if (checkout && UNCLEAR.includes(effect)) await announceUnclear(checkout, eventId);
    return effect;
  });
}

const checkoutOf = (
  provider: ProviderName,
  { checkoutId, reference }: ProviderMessage,
): Promise<CheckoutRow | undefined> =>
  db()
    .selectFrom('payment_checkouts')
    .selectAll()
    .where('provider', '=', provider)
    .where((e) =>
      e.or([
        e('provider_reference', '=', reference),
        // the process may have ended before the provider's id was stored
        e.and([e('checkout_id', '=', checkoutId), e('provider_reference', 'is', null)]),
      ]),
    )
    .executeTakeFirst();

/** The task, locked; undefined if it was deleted. */
async function lockedTask(taskId: string): Promise<TaskRow | undefined> {
  try {
    return await lockTaskOfSystem(taskId);
  } catch (error) {
    if (refusal(error)?.code !== 'NOT_FOUND') throw error;
    return undefined;
  }
}

async function apply(
  found: CheckoutRow,
  task: TaskRow | undefined,
  message: ProviderMessage,
): Promise<MessageEffect> {
  // again, since another message may have changed them before the lock
  const [request, checkout] = [await requestRow(found.task_id), await checkoutRow(found.checkout_id)];
  if (!request || !checkout || !message.state) return 'ignored';
  if (checkout.state === 'paid') return 'late';
  if (message.state !== 'paid' && checkout.state !== 'open' && checkout.state !== 'processing') return 'late';
  if (message.state === 'expired' && checkout.state === 'processing') return 'late';
  const isMoney = message.state === 'paid' || message.state === 'processing';
  if (isMoney && (message.amount !== checkout.amount || message.currency !== checkout.currency))
    return 'other-amount';
  await db()
    .updateTable('payment_checkouts')
    .set({ state: message.state })
    .where('checkout_id', '=', checkout.checkout_id)
    .execute();
  return applyTo(request, { task, checkout, state: message.state });
}

async function applyTo(
  request: RequestRow,
  { task, checkout, state }: { task: TaskRow | undefined; checkout: CheckoutRow; state: ReportedState },
): Promise<MessageEffect> {
  const { task_id: taskId } = request;
  const by = checkout.created_by;
  if (state === 'paid') {
    if (request.state === 'paid') return 'paid-twice';
    if (!task || task.status === 'Cancelled') return 'paid-closed';
    const paidOn = await firmToday(request.company_id);
    const reference = checkout.provider_reference ?? '';
    return orClosed(async () => {
      await completePayment(request, task.status, { way: 'online', by, paidOn, reference });
      return 'paid';
    });
  }
  if (!task || request.state === 'paid') return 'late';
  if (state === 'processing') {
    if (!isPending(task.status)) return 'late';
    return orClosed(async () => {
      await performSystemAction(taskId, 'submit', { by, content: { way: 'online', amount: request.amount } });
      await updateRequest(taskId, { state: 'processing', failure: '', paid_by: 'online' });
      return 'processing';
    });
  }
  return fail(request, { by, state, wasProcessing: checkout.state === 'processing' });
}

/** A task that has expired takes no payment, but the money is there. */
async function orClosed(work: () => Promise<MessageEffect>): Promise<MessageEffect> {
  try {
    return await work();
  } catch (error) {
    if (!['EXPIRED', 'NOT_POSSIBLE', 'CLOSED'].includes(refusal(error)?.code ?? '')) throw error;
    return 'paid-closed';
  }
}

/** The client can pay again, and reads what happened. A payment by bank that waits for the firm goes on. */
async function fail(
  request: RequestRow,
  { by, state, wasProcessing }: { by: string; state: 'failed' | 'expired'; wasProcessing: boolean },
): Promise<MessageEffect> {
  const { task_id: taskId } = request;
  const failure = state === 'failed' ? 'declined' : 'expired';
  if (wasProcessing && request.state === 'processing') {
    await performSystemAction(taskId, 'fail', { by });
    await updateRequest(taskId, { state: 'open', failure, paid_by: '' });
  } else if (request.state === 'open') await updateRequest(taskId, { failure });
  else return 'late';
  await auditPayment(request, by, 'payment.fail', { failure });
  return state;
}

async function announceUnclear({ task_id: taskId }: CheckoutRow, eventId: string): Promise<void> {
  const request = await requestRow(taskId);
  if (!request) return;
  await auditPayment(request, 'provider', 'payment.unclear');
  await paymentUnclear.announce({
    taskId,
    companyId: request.company_id,
    clientId: request.client_id,
    name: request.invoice_number,
    eventId,
  });
}
