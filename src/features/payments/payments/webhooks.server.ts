import { performSystemAction } from '#features/tasks/tasks/acting.server.ts';
import { isPending } from '#features/tasks/tasks/rules.ts';
import { firmToday, lockTaskOfSystem, type TaskRow } from '#features/tasks/tasks/scope.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { paymentUnclear } from './events.server.ts';
import {
  auditPayment,
  completePayment,
  recordEvent,
  reopenRequest,
  checkoutRow,
  requestRow,
  updateRequest,
  type CheckoutRow,
  type RequestRow,
} from './internal/requests.server.ts';
import type { ProviderName } from './payments.ts';
import { providerOfMessages } from './providers/available.server.ts';
import type { ProviderMessage, ReportedReversal, ReportedState } from './providers/provider.ts';

/**
 * What a message of a provider led to. `late` is one that a newer message has overtaken. After `refunded` and
 * `disputed` the amount is open again; `other-refund` is one that opens nothing, such as a part.
 */
export type MessageEffect =
  | ReportedState
  | 'repeated'
  | 'unknown'
  | 'ignored'
  | 'late'
  | 'other-amount'
  | 'paid-twice'
  | 'paid-closed'
  | 'no-payment'
  | 'refunded'
  | 'disputed'
  | 'other-refund';

/** The firm has to look at these. */
const UNCLEAR: readonly MessageEffect[] = [
  'other-amount',
  'paid-twice',
  'paid-closed',
  'no-payment',
  'refunded',
  'disputed',
  'other-refund',
];

/**
 * Takes a message of a provider: only such a message completes a payment online. It has its effect once, whatever the
 * order in which messages arrive and however often. NOT_FOUND for a provider that is not available, FORBIDDEN if it is
 * not signed by the provider, INVALID if it cannot be read. With `companyId` it comes from the account that this firm has
 * entered, and can be about nobody else's payments.
 */
export async function receiveMessage(
  provider: ProviderName,
  body: string,
  headers: Headers,
  companyId?: string,
): Promise<MessageEffect> {
  const sender = await providerOfMessages(provider, companyId);
  if (!sender) throw new PortalError('NOT_FOUND');
  const message = sender.readMessage(body, headers);
  return inTransaction(async () => {
    const checkout = message.state && (await checkoutOf(provider, message, companyId));
    // the lock of the task comes first: messages about one checkout wait for each other
    const task = checkout && (await lockedTask(checkout.task_id));
    const eventId = await recordEvent({
      taskId: checkout?.task_id ?? null,
      source: provider,
      // a firm cannot use up the ids of another one's messages
      sourceEventId: companyId === undefined ? message.id : `${companyId}/${message.id}`,
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
  { checkoutId, reference, payment }: ProviderMessage,
  companyId: string | undefined,
): Promise<CheckoutRow | undefined> =>
  db()
    .selectFrom('payment_checkouts')
    .selectAll()
    .where('provider', '=', provider)
    .$if(companyId !== undefined, (checkouts) => checkouts.where('company_id', '=', companyId ?? ''))
    .where((e) =>
      e.or([
        ...(reference === '' ? [] : [e('provider_reference', '=', reference)]),
        ...(payment === '' ? [] : [e('payment_id', '=', payment)]),
        // the process may have ended before the provider's id was stored, and refunds name no checkout of the provider
        e.and([
          e('checkout_id', '=', checkoutId),
          ...(reference === '' ? [] : [e('provider_reference', 'is', null)]),
        ]),
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
  if (isReversal(message.state)) return applyReversal(request, { task, checkout, state: message.state });
  if (message.payment !== '') await nameReversals(checkout, message.payment);
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

const REVERSALS: readonly string[] = [
  'refunded',
  'refunded-part',
  'disputed',
  'dispute-won',
  'no-payment',
] satisfies ReportedReversal[];
const isReversal = (state: ReportedState | ReportedReversal): state is ReportedReversal =>
  REVERSALS.includes(state);

/** Stores what the provider will name the payment by. */
async function nameReversals({ checkout_id: id }: CheckoutRow, payment: string): Promise<void> {
  await db()
    .updateTable('payment_checkouts')
    .set({ payment_id: payment })
    .where('checkout_id', '=', id)
    .execute();
}

/** Opens the amount again of which the money went back. */
async function applyReversal(
  request: RequestRow,
  { task, checkout, state }: { task: TaskRow | undefined; checkout: CheckoutRow; state: ReportedReversal },
): Promise<MessageEffect> {
  const by = checkout.created_by;
  if (state === 'no-payment') {
    if (checkout.state === 'paid') return 'late';
    await db()
      .updateTable('payment_checkouts')
      .set({ state: 'failed' })
      .where('checkout_id', '=', checkout.checkout_id)
      .execute();
    return 'no-payment';
  }
  if (state === 'dispute-won') {
    if (request.state === 'paid') return 'late';
    if (!task || !isPending(task.status)) return 'paid-closed';
    const paidOn = await firmToday(request.company_id);
    const reference = checkout.provider_reference ?? '';
    return orClosed(async () => {
      await completePayment(request, task.status, { way: 'online', by, paidOn, reference });
      return 'paid';
    });
  }
  if (checkout.state !== 'paid') return 'other-refund';
  const isWhatPaid = request.state === 'paid' && referenceOf(request) === checkout.provider_reference;
  if (state === 'refunded-part' || !isWhatPaid || task?.status !== 'Done')
    return request.failure === 'disputed' || request.failure === 'refunded' ? 'late' : 'other-refund';
  await performSystemAction(request.task_id, 'fail', { by });
  await reopenRequest(request.task_id, state);
  await auditPayment(request, 'provider', 'payment.reverse', { failure: state });
  return state;
}

const referenceOf = ({ task_id: taskId, paid_reference: reference }: RequestRow): string =>
  reference === null ? '' : decryptFrom('payment_requests.paid_reference', taskId, reference);

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
