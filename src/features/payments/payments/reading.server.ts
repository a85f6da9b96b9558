import { documentsNamed } from '#features/documents/documents/scope.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { taskRow } from '#features/tasks/tasks/scope.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { requestRow, type RequestRow } from './internal/requests.server.ts';
import type { Currency, PaymentFailure, PaymentState, ProviderName, Way } from './payments.ts';

/** A payment as those see it who may see its task. */
export interface Payment {
  taskId: string;
  state: PaymentState;
  amount: number;
  currency: Currency;
  payee: string;
  reference: string;
  invoiceNumber: string;
  /** The invoice, unless it is gone or the reader may not see it. */
  document: { id: string; name: string } | undefined;
  ways: Way[];
  failure: PaymentFailure;
  failureReason: string;
  paidBy: Way | '';
  paidOn: string | null;
  paidReference: string;
  receipt: number | null;
}

/** An entry of the history of a payment. `by` is the name of who did it; empty for a provider. */
export interface PaymentHistoryEntry {
  source: ProviderName | 'client' | 'firm';
  kind: string;
  effect: string;
  at: number;
  by: string;
}

/** Loads the payment of a task; undefined for a task without one, NOT_FOUND if the actor may not see the task. */
export async function paymentOf(actor: Actor, taskId: string): Promise<Payment | undefined> {
  await taskRow(actor, taskId, { withDeleted: true });
  const row = await requestRow(taskId);
  return row && present(actor, row);
}

async function present(actor: Actor, row: RequestRow): Promise<Payment> {
  const { task_id: taskId } = row;
  const [document] = row.document_id === null ? [] : await documentsNamed(actor, [row.document_id]);
  const offered: readonly (readonly [Way, number])[] = [
    ['bank', row.offers_bank],
    ['pix', row.offers_pix],
    ['online', row.offers_online],
  ];
  return {
    taskId,
    state: row.state,
    amount: row.amount,
    currency: row.currency,
    payee: row.payee,
    reference: row.reference,
    invoiceNumber: row.invoice_number,
    document: document && { id: document.document_id, name: document.name },
    ways: offered.flatMap(([way, isOffered]) => (isOffered === 1 ? [way] : [])),
    failure: row.failure,
    failureReason:
      row.failure_reason === null
        ? ''
        : decryptFrom('payment_requests.failure_reason', taskId, row.failure_reason),
    paidBy: row.paid_by,
    paidOn: row.paid_on,
    paidReference:
      row.paid_reference === null
        ? ''
        : decryptFrom('payment_requests.paid_reference', taskId, row.paid_reference),
    receipt: row.receipt,
  };
}

/** Whether the client has begun to pay at the provider, which has not reported anything yet. */
export async function hasOpenCheckout(taskId: string): Promise<boolean> {
  const row = await db()
    .selectFrom('payment_checkouts')
    .select('checkout_id')
    .where('task_id', '=', taskId)
    .where('state', '=', 'open')
    .where('expires_at', '>', now())
    .executeTakeFirst();
  return row !== undefined;
}

const MAX_HISTORY = 100;

/** What happened to the payment of a task, the newest first; NOT_FOUND if the actor may not see the task. */
export async function paymentHistory(actor: Actor, taskId: string): Promise<PaymentHistoryEntry[]> {
  await taskRow(actor, taskId, { withDeleted: true });
  const rows = await db()
    .selectFrom('payment_events')
    .leftJoin('contacts', 'contacts.contact_id', 'payment_events.done_by')
    .select([
      'payment_events.source',
      'payment_events.kind',
      'payment_events.effect',
      'payment_events.received_at',
      'contacts.full_name',
    ])
    .where('payment_events.task_id', '=', taskId)
    .orderBy('payment_events.received_at', 'desc')
    .orderBy('payment_events.event_id')
    .limit(MAX_HISTORY)
    .execute();
  return rows.map(({ received_at: at, full_name: by, ...row }) => ({ ...row, at, by: by ?? '' }));
}
