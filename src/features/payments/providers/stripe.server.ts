import { z } from 'zod';
import { SECOND } from '#platform/clock.server.ts';
import { config } from '#platform/config.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { LANGUAGES } from '#platform/languages.ts';
import { log } from '#platform/log.server.ts';
import type { CheckoutOrder, PaymentProvider, ProviderMessage, ReportedState } from './provider.ts';
import { assertSigned } from './signatures.server.ts';

/*
 * Stripe Checkout by its REST API (docs.stripe.com/api/checkout/sessions), without the package of Stripe: three calls
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
});

export const stripe: PaymentProvider = {
  createCheckout: async (order) => {
    try {
      const response = await post('checkout/sessions', {
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
    const response = await post(`checkout/sessions/${encodeURIComponent(reference)}/expire`).catch(
      (error: unknown) => {
        throw unavailable(error);
      },
    );
    // 400: it is complete or has expired already
    if (!response.ok && response.status !== 400)
      throw unavailable(new Error(`Stripe answered ${response.status}.`));
  },
  readMessage: (body, headers) => {
    assertSigned(configured().webhookSecret, body, headers.get('stripe-signature'));
    return parsed(body);
  },
};

async function post(
  path: string,
  { headers, body }: { headers?: Record<string, string>; body?: URLSearchParams } = {},
): Promise<Response> {
  const { api, secretKey } = configured();
  return fetch(`${api}/v1/${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${secretKey}`, 'Stripe-Version': API_VERSION, ...headers },
    ...(body && { body }),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT),
  });
}

function unavailable(error: unknown): PortalError {
  log.error({ event: 'payments.provider-failed', err: error });
  return new PortalError('UNAVAILABLE');
}

function configured(): NonNullable<typeof config.stripe> {
  if (!config.stripe) throw new PortalError('NOT_FOUND');
  return config.stripe;
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
    if (!type.startsWith('checkout.session.'))
      return { id, kind: type, state: undefined, checkoutId: '', reference: '', amount: 0, currency: '' };
    const object = checkoutSession.parse(data.object);
    return {
      id,
      kind: type,
      state: stateOf(type, object.payment_status),
      checkoutId: object.client_reference_id ?? '',
      reference: object.id,
      amount: object.amount_total ?? 0,
      currency: (object.currency ?? '').toUpperCase(),
    };
  } catch {
    throw new PortalError('INVALID');
  }
}

/** Bank debits complete the page right away and are paid days later. */
function stateOf(type: string, paymentStatus: string): ReportedState | undefined {
  switch (type) {
    case 'checkout.session.completed':
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
