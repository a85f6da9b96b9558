import { timingSafeEqual } from 'node:crypto';
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { pageAddress } from '#platform/http/addresses.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { keyFor, newId } from '#platform/security/crypto.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { CURRENCIES } from '../payments.ts';
import type { PaymentProvider, ProviderMessage, ReportedState } from './provider.ts';
import { assertSigned, signatureOf } from './signatures.server.ts';

/*
 * A provider to try payments with: its page is in the portal, and it reports what was chosen there as a real one does,
 * by signed messages over HTTP. It stores nothing: the order is in the address of its page.
 */

export const SIGNATURE_HEADER = 'sandbox-signature';

const order = z.object({
  checkoutId: z.string(),
  amount: z.number().int(),
  currency: z.enum(CURRENCIES),
  title: z.string(),
  payee: z.string(),
  successUrl: z.string(),
  cancelUrl: z.string(),
});
export type SandboxOrder = z.infer<typeof order>;

const message = z.object({
  id: z.string().min(1).max(100),
  kind: z.enum(['paid', 'processing', 'failed', 'expired']),
  checkoutId: z.string().max(100),
  amount: z.number().int(),
  currency: z.string().max(3),
});

const secret = (): string => keyFor('payment-sandbox').toString('base64url');
const macOf = (text: string): Buffer => createHmac('sha256', secret()).update(text).digest();
const referenceOf = (checkoutId: string): string => `sandbox_${checkoutId}`;

export const sandbox: PaymentProvider = {
  createCheckout: ({ lang, ...input }) => {
    const text = Buffer.from(JSON.stringify(order.parse(input))).toString('base64url');
    const token = `${text}.${macOf(text).toString('base64url')}`;
    const url = config.origin + pageAddress(lang, `sandbox-checkout/${token}`);
    return Promise.resolve({ reference: referenceOf(input.checkoutId), url });
  },
  // its page shows what is in its address, and a payment there is reported as one that matches no request
  closeCheckout: () => Promise.resolve(),
  readMessage: (body, headers) => {
    assertSigned(secret(), body, headers.get(SIGNATURE_HEADER));
    return parsed(body);
  },
};

function parsed(body: string): ProviderMessage {
  try {
    const { kind, checkoutId, ...read } = message.parse(JSON.parse(body));
    return { ...read, kind, state: kind, checkoutId, reference: referenceOf(checkoutId), payment: '' };
  } catch {
    throw new PortalError('INVALID');
  }
}

/** The order in the address of the sandbox's page; NOT_FOUND unless the sandbox made the address. */
export function sandboxOrder(token: string): SandboxOrder {
  const [text = '', mac = ''] = token.split('.');
  const [given, expected] = [Buffer.from(mac, 'base64url'), macOf(text)];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw notFound();
  return order.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
}

/** The message that reports a state, and the header that signs it. */
export function sandboxMessage(
  { checkoutId, amount, currency }: Pick<SandboxOrder, 'checkoutId' | 'amount' | 'currency'>,
  state: ReportedState,
  id = newId('message'),
): { body: string; signature: string } {
  const body = JSON.stringify({ id, kind: state, checkoutId, amount, currency });
  return { body, signature: signatureOf(secret(), body) };
}

/** Sends a message to the portal, as a provider does. Throws unless it is accepted. */
export async function sendSandboxMessage({
  body,
  signature,
}: ReturnType<typeof sandboxMessage>): Promise<void> {
  const response = await fetch(`${config.origin}/api/payments/v1/webhooks/sandbox`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', [SIGNATURE_HEADER]: signature },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(10_000),
  });
  if (response.status === 507) throw new PortalError('QUOTA'); // the disk is full
  if (response.status === 503) throw new PortalError('UNAVAILABLE', { retryAfter: 1 });
  if (!response.ok) throw new Error(`The portal answered ${response.status} to a message of the sandbox.`);
}
