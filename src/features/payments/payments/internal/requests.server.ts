import type { Selectable } from 'kysely';
import { issueReceipts } from '#features/base/receipts/issuing.server.ts';
import { performSystemAction } from '#features/tasks/tasks/acting.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import type { AuditAction } from '#platform/security/audit-actions.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId, sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import type { TaskStatus } from '#features/tasks/tasks/tasks.ts';
import type { PaymentFailure, PaymentState, ProviderName, Way } from '../payments.ts';

export type RequestRow = Selectable<Tables['payment_requests']>;
export type CheckoutRow = Selectable<Tables['payment_checkouts']>;

export const requestRow = (taskId: string): Promise<RequestRow | undefined> =>
  db().selectFrom('payment_requests').selectAll().where('task_id', '=', taskId).executeTakeFirst();

export const checkoutRow = (checkoutId: string): Promise<CheckoutRow | undefined> =>
  db().selectFrom('payment_checkouts').selectAll().where('checkout_id', '=', checkoutId).executeTakeFirst();

/** What happened, for {@link recordEvent}; without a source event it is what a person did. */
interface PaymentEvent {
  taskId: string | null;
  source: ProviderName | 'client' | 'firm';
  sourceEventId?: string;
  kind: string;
  body?: string;
  effect?: string;
  doneBy?: string;
}

/** Records an event, and returns its id; undefined for one that is recorded already. */
export async function recordEvent({
  taskId,
  source,
  sourceEventId,
  kind,
  body,
  effect = '',
  doneBy = '',
}: PaymentEvent): Promise<string | undefined> {
  const eventId = newId('payevent');
  const row = await db()
    .insertInto('payment_events')
    .values({
      event_id: eventId,
      task_id: taskId,
      source,
      source_event_id: sourceEventId ?? eventId,
      kind,
      received_at: now(),
      body_sha256: body === undefined ? '' : sha256(body),
      effect,
      done_by: doneBy,
    })
    .onConflict((conflict) => conflict.columns(['source', 'source_event_id']).doNothing())
    .returning('event_id')
    .executeTakeFirst();
  return row?.event_id;
}

export async function updateRequest(
  taskId: string,
  values: { state?: PaymentState; failure?: PaymentFailure; paid_by?: Way | '' },
  failureReason = '',
): Promise<void> {
  await db()
    .updateTable('payment_requests')
    .set({
      ...values,
      ...(values.failure !== undefined && {
        failure_reason:
          failureReason === '' ? null : encryptFor('payment_requests.failure_reason', taskId, failureReason),
      }),
    })
    .where('task_id', '=', taskId)
    .execute();
}

/** The state of a request that waits for its money. */
export const UNPAID = {
  state: 'open',
  failure_reason: null,
  paid_by: '',
  paid_at: null,
  paid_on: null,
  paid_reference: null,
  receipt: null,
} as const;

/** Opens a request again that was paid, of which the money went back. Its receipt stays what it says. */
export async function reopenRequest(taskId: string, failure: 'refunded' | 'disputed'): Promise<void> {
  await db()
    .updateTable('payment_requests')
    .set({
      ...UNPAID,
      failure,
    })
    .where('task_id', '=', taskId)
    .execute();
}

export const auditPayment = (
  { task_id: target, company_id: companyId, client_id: clientId }: RequestRow,
  actor: string,
  action: AuditAction,
  details: Record<string, string | number> = {},
): Promise<void> => audit({ companyId, actor, action, target, clientId, details });

interface Arrival {
  way: Way;
  /** The contact who paid, or the member of staff who saw the money arrive. */
  by: string;
  /** The day on which the money arrived. */
  paidOn: string;
  reference: string;
}

/**
 * Completes a payment, under the lock of its task: the task is done, and a receipt says what was paid. Throws as
 * `performSystemAction` does.
 */
export async function completePayment(
  row: RequestRow,
  status: TaskStatus,
  { way, by, paidOn, reference }: Arrival,
): Promise<void> {
  const { task_id: taskId } = row;
  const paid = {
    taskId,
    invoice: row.invoice_number,
    payee: row.payee,
    amount: row.amount,
    currency: row.currency,
    way,
    paidOn,
    reference,
  };
  if (status !== 'Received') await performSystemAction(taskId, 'submit', { by, content: paid });
  await performSystemAction(taskId, 'confirm', { by });
  const content = JSON.stringify(paid);
  const receipt = await issueReceipts({
    companyId: row.company_id,
    kind: 'payment',
    actor: by,
    documents: [
      {
        documentId: taskId,
        clientId: row.client_id,
        name: row.invoice_number,
        size: Buffer.byteLength(content),
        sha256: sha256(content),
      },
    ],
  });
  await db()
    .updateTable('payment_requests')
    .set({
      state: 'paid',
      failure: '',
      failure_reason: null,
      paid_by: way,
      paid_at: now(),
      paid_on: paidOn,
      paid_reference:
        reference === '' ? null : encryptFor('payment_requests.paid_reference', taskId, reference),
      receipt: receipt.receipt ?? null,
    })
    .where('task_id', '=', taskId)
    .execute();
  await auditPayment(row, by, 'payment.confirm', {
    amount: row.amount,
    currency: row.currency,
    way,
    ...receipt,
  });
}
