import { z } from 'zod';
import { SECOND } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { LANGUAGES } from '#platform/text/languages.ts';
import { log } from '#platform/monitoring/log.server.ts';
import type {
  CheckoutOrder,
  PaymentProvider,
  ProviderMessage,
  ReportedReversal,
  ReportedState,
} from './provider.ts';
import { assertSigned } from './signatures.server.ts';
import type { StripeAccount } from './stripe-accounts.server.ts';

/*
 * Stripe Checkout by its REST API (docs.stripe.com/api/checkout/sessions), without the package of Stripe: a few calls
 * do not need 22 MB. The version is fixed, so that a newer default of the account changes nothing here.
 */

const API_VERSION = '2024-06-20';
const TIMEOUT = 10 * SECOND;

const session = z.object({ id: z.string().min(1).max(200), url: z.url().max(4000) });

const message = z.object({
  id: z.string().min(1).max(100),
  type: z.string().max(100),
  data: z.object({ object: z.looseObject({}) }),
});
const checkoutSession = z.object({
  id: z.string().max(200),
  client_reference_id: z.string().max(100).nullish(),
  amount_total: z.number().int().nullish(),
  currency: z.string().max(3).nullish(),
  payment_status: z.string().max(40),
  payment_intent: z.string().max(200).nullish(),
});
const charge = z.object({
  payment_intent: z.string().max(200).nullish(),
  amount_refunded: z.number().int(),
  currency: z.string().max(3),
  refunded: z.boolean(),
  /** As we have set it on the payment. */
  metadata: z.looseObject({ checkout: z.string().max(100).optional() }).nullish(),
});
const dispute = z.object({
  payment_intent: z.string().max(200).nullish(),
  amount: z.number().int(),
  currency: z.string().max(3),
  status: z.string().max(60),
});

/** Payments by an account at Stripe. */
export const stripeWith = (account: StripeAccount): PaymentProvider => ({
  createCheckout: async (order) => {
    try {
      const response = await ask(account, 'checkout/sessions', {
        method: 'POST',
        headers: { 'Idempotency-Key': order.checkoutId },
        body: formOf(order),
      });
      if (!response.ok) throw new Error(`Stripe answered ${response.status}.`);
      const { id, url } = session.parse(await response.json());
      return { reference: id, url };
    } catch (error) {
      throw unavailable(error);
    }
  },
  closeCheckout: async (reference) => {
    const path = `checkout/sessions/${encodeURIComponent(reference)}/expire`;
    const response = await ask(account, path, { method: 'POST' }).catch((error: unknown) => {
      throw unavailable(error);
    });
    // 400: it is complete or has expired already; 404: it was of another account, which was used before
    if (!response.ok && response.status !== 400 && response.status !== 404)
      throw unavailable(new Error(`Stripe answered ${response.status}.`));
  },
  readMessage: (body, headers) => {
    assertSigned(account.webhookSecret, body, headers.get('stripe-signature'));
    return parsed(body);
  },
});

/** Asks Stripe whether it accepts the key of an account. INVALID if it refuses it, UNAVAILABLE if it does not answer. */
export async function testStripeAccount(account: StripeAccount): Promise<void> {
  const response = await ask(account, 'checkout/sessions?limit=1', {}).catch((error: unknown) => {
    throw unavailable(error);
  });
  if (response.status === 401 || response.status === 403)
    throw new PortalError('INVALID', { field: 'secretKey' });
  if (!response.ok) throw unavailable(new Error(`Stripe answered ${response.status}.`));
}

const ask = (
  { api, secretKey }: StripeAccount,
  path: string,
  {
    method = 'GET',
    headers,
    body,
  }: { method?: string; headers?: Record<string, string>; body?: URLSearchParams },
): Promise<Response> =>
  fetch(`${api}/v1/${path}`, {
    method,
    headers: { Authorization: `Bearer ${secretKey}`, 'Stripe-Version': API_VERSION, ...headers },
    ...(body && { body }),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT),
  });

function unavailable(error: unknown): PortalError {
  log.error({ event: 'payments.provider-failed', err: error });
  return new PortalError('UNAVAILABLE', { away: 'provider' });
}

const formOf = (order: CheckoutOrder): URLSearchParams =>
  new URLSearchParams({
    mode: 'payment',
    client_reference_id: order.checkoutId,
    'line_items[0][quantity]': '1',
    'line_items[0][price_data][currency]': order.currency.toLowerCase(),
    'line_items[0][price_data][unit_amount]': String(order.amount),
    'line_items[0][price_data][product_data][name]': order.title,
    'payment_intent_data[description]': order.title,
    'payment_intent_data[metadata][checkout]': order.checkoutId,
    locale: order.lang === 'es' ? 'es-419' : order.lang.startsWith('en-') ? 'en' : LANGUAGES[order.lang],
    expires_at: String(Math.floor(order.expiresAt / SECOND)),
    success_url: order.successUrl,
    cancel_url: order.cancelUrl,
  });

function parsed(body: string): ProviderMessage {
  try {
    const { id, type, data } = message.parse(JSON.parse(body));
    const nothing = { checkoutId: '', reference: '', payment: '', amount: 0, currency: '' };
    return { id, kind: type, state: undefined, ...nothing, ...aboutPayment(type, data.object) };
  } catch {
    throw new PortalError('INVALID');
  }
}

function aboutPayment(type: string, object: unknown): Partial<ProviderMessage> {
  if (type.startsWith('checkout.session.')) {
    const read = checkoutSession.parse(object);
    return {
      state: stateOf(type, read.payment_status),
      checkoutId: read.client_reference_id ?? '',
      reference: read.id,
      payment: read.payment_intent ?? '',
      amount: read.amount_total ?? 0,
      currency: (read.currency ?? '').toUpperCase(),
    };
  }
  if (type === 'charge.refunded') {
    const read = charge.parse(object);
    return {
      state: read.refunded ? 'refunded' : 'refunded-part',
      checkoutId: read.metadata?.checkout ?? '',
      payment: read.payment_intent ?? '',
      amount: read.amount_refunded,
      currency: read.currency.toUpperCase(),
    };
  }
  if (type.startsWith('charge.dispute.')) {
    const read = dispute.parse(object);
    const state = disputeState(type, read.status);
    return {
      state,
      payment: read.payment_intent ?? '',
      amount: read.amount,
      currency: read.currency.toUpperCase(),
    };
  }
  return {};
}

/** The money is taken back when a dispute begins, but for a mere inquiry, and returned when it is won. */
function disputeState(type: string, status: string): ReportedReversal | undefined {
  if (type === 'charge.dispute.created' || type === 'charge.dispute.funds_withdrawn')
    return status.startsWith('warning_') ? undefined : 'disputed';
  if (type === 'charge.dispute.funds_reinstated') return 'dispute-won';
  return type === 'charge.dispute.closed' && status === 'won' ? 'dispute-won' : undefined;
}

/** Bank debits complete the page right away and are paid days later. */
function stateOf(type: string, paymentStatus: string): ReportedState | ReportedReversal | undefined {
  switch (type) {
    case 'checkout.session.completed':
      if (paymentStatus === 'no_payment_required') return 'no-payment';
      return paymentStatus === 'paid' ? 'paid' : 'processing';
    case 'checkout.session.async_payment_succeeded':
      return 'paid';
    case 'checkout.session.async_payment_failed':
      return 'failed';
    case 'checkout.session.expired':
      return 'expired';
    default:
      return undefined;
  }
}
