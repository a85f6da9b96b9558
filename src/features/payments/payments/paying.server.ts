import { assertActsFor, actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { performSystemAction } from '#features/tasks/tasks/acting.server.ts';
import { isPending } from '#features/tasks/tasks/rules.ts';
import { factsOf, factsOfSystem, lockTask, type TaskRow } from '#features/tasks/tasks/scope.server.ts';
import { taskTitle } from '#features/tasks/tasks/titles.server.ts';
import { pageAddress } from '#platform/http/addresses.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { paymentReported } from './events.server.ts';
import {
  auditPayment,
  recordEvent,
  requestRow,
  updateRequest,
  type CheckoutRow,
  type RequestRow,
} from './internal/requests.server.ts';
import type { ReportedWay } from './payments.ts';
import { providerOf } from './providers/available.server.ts';
import { paymentSettingsOf } from './settings.server.ts';

/** How long the page of a provider can be used; Stripe allows at most 24 hours. */
const CHECKOUT_LIFETIME = 23 * HOUR;
/** A page with less time left is not offered again: Stripe needs half an hour. */
const MIN_LIFETIME_LEFT = HOUR;

interface Locked {
  actor: Actor;
  task: TaskRow;
  request: RequestRow;
}

/**
 * Loads a payment for a change and locks its task until the end of the transaction. NOT_FOUND for a task that the actor
 * may not see; EMULATION_READ_ONLY while viewing as a contact.
 */
export async function lockPayment(actor: Actor, taskId: string): Promise<Locked> {
  if (actor.viewedBy !== undefined) throw new PortalError('EMULATION_READ_ONLY');
  const current = await actorNow(actor);
  const task = await lockTask(current, taskId);
  const request = await requestRow(taskId);
  if (!request) throw notFound();
  return { actor: current, task, request };
}

/** Loads the same for a client who pays: FORBIDDEN for staff, CLOSED unless it can still be paid, EXPIRED. */
async function lockToPay(actor: Actor, taskId: string): Promise<Locked> {
  const locked = await lockPayment(actor, taskId);
  if (locked.actor.staff) throw new PortalError('FORBIDDEN');
  await assertActsFor(locked.actor, locked.task.client_id);
  if (!isPending(locked.task.status)) throw new PortalError('CLOSED');
  if ((await factsOf(locked.task)).isExpired) throw new PortalError('EXPIRED');
  return locked;
}

/** Records that a client has paid by bank or Pix; the firm then confirms that the money has arrived. */
export async function reportPayment(actor: Actor, taskId: string, way: ReportedWay): Promise<void> {
  await inTransaction(async () => {
    const { actor: current, request } = await lockToPay(actor, taskId);
    if (request[way === 'bank' ? 'offers_bank' : 'offers_pix'] === 0)
      throw new PortalError('INVALID', { field: 'way' });
    const by = current.contactId;
    await performSystemAction(taskId, 'submit', { by, content: { way, amount: request.amount } });
    await updateRequest(taskId, { state: 'reported', failure: '', paid_by: way });
    await recordEvent({ taskId, source: 'client', kind: `reported-${way}`, doneBy: by });
    await auditPayment(request, by, 'payment.report', { way });
    await paymentReported.announce({
      taskId,
      companyId: request.company_id,
      clientId: request.client_id,
      name: request.invoice_number,
    });
  });
}

/**
 * Opens the page of the firm's provider and returns its address. The same page is offered again while it can be used, so
 * that nobody pays twice. Throws as {@link lockToPay} does, also for a task that is closed meanwhile; NOT_POSSIBLE if
 * online payment is not offered, UNAVAILABLE with `away: 'provider'` if the provider does not answer.
 */
export async function startCheckout(actor: Actor, taskId: string, lang: Lang): Promise<string> {
  const { checkout, request, title } = await inTransaction(async () => {
    const { actor: current, task, request } = await lockToPay(actor, taskId);
    return {
      checkout: (await openCheckout(taskId)) ?? (await newCheckout(current, request)),
      request,
      title: taskTitle(lang, { ...task, taxYear: task.tax_year }),
    };
  });
  if (checkout.url !== null) return decryptFrom('payment_checkouts.url', checkout.checkout_id, checkout.url);
  // the process may end before the answer is stored: the next attempt asks for the same page
  const back = `${config.origin}${pageAddress(lang, `tasks/clients/${request.client_id}/task/${taskId}`)}`;
  const provider = await providerOf(checkout.provider, checkout.company_id);
  if (!provider) throw new PortalError('NOT_POSSIBLE');
  const { reference, url } = await provider.createCheckout({
    checkoutId: checkout.checkout_id,
    amount: checkout.amount,
    currency: checkout.currency,
    title,
    payee: request.payee,
    lang,
    createdAt: checkout.created_at,
    expiresAt: checkout.expires_at,
    successUrl: `${back}?payment=done`,
    cancelUrl: `${back}?payment=left`,
  });
  await db()
    .updateTable('payment_checkouts')
    .set({
      provider_reference: reference,
      url: encryptFor('payment_checkouts.url', checkout.checkout_id, url),
    })
    .where('checkout_id', '=', checkout.checkout_id)
    .execute();
  // the firm may have deleted or cancelled the task while the provider was asked
  const facts = await factsOfSystem(taskId);
  if (!facts || facts.isDeleted || !isPending(facts.status)) {
    await provider.closeCheckout(reference);
    throw new PortalError('CLOSED');
  }
  return url;
}

const openCheckout = (taskId: string): Promise<CheckoutRow | undefined> =>
  db()
    .selectFrom('payment_checkouts')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('state', '=', 'open')
    .where('expires_at', '>', now() + MIN_LIFETIME_LEFT)
    .orderBy('created_at', 'desc')
    .executeTakeFirst();

async function newCheckout(actor: Actor, request: RequestRow): Promise<CheckoutRow> {
  const { provider, isOnline } = await paymentSettingsOf(request.company_id);
  if (request.offers_online === 0 || !isOnline || provider === 'none') throw new PortalError('NOT_POSSIBLE');
  const { task_id: taskId, company_id: companyId, amount, currency } = request;
  const by = actor.contactId;
  await performSystemAction(taskId, 'start', { by });
  const checkout = await db()
    .insertInto('payment_checkouts')
    .values({
      checkout_id: newId('checkout'),
      task_id: taskId,
      company_id: companyId,
      provider,
      provider_reference: null,
      payment_id: null,
      url: null,
      state: 'open',
      amount,
      currency,
      created_at: now(),
      created_by: by,
      expires_at: now() + CHECKOUT_LIFETIME,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordEvent({ taskId, source: 'client', kind: 'checkout', doneBy: by });
  await auditPayment(request, by, 'payment.checkout', { provider });
  return checkout;
}
