import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { stateOf, type Env } from '#features/base/people/people.server.ts';
import { invalidInput, responses } from '#platform/http/api.server.ts';
import { MINUTE } from '#platform/runtime/clock.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { consumeForNetwork } from '#platform/security/limits.server.ts';
import { PROVIDERS } from './payments.ts';
import { providerOfMessages } from './providers/available.server.ts';
import { receiveMessage } from './webhooks.server.ts';

export const paymentsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

/** Providers send one or two messages for each payment. */
const MESSAGES_A_MINUTE = 600;

const receive = createRoute({
  method: 'post',
  path: '/api/payments/v1/webhooks/{provider}',
  tags: ['Payments'],
  summary: 'Messages of a payment provider, signed by it. A message that is sent again has no effect',
  request: { params: z.object({ provider: z.enum(PROVIDERS) }) },
  responses: responses(z.strictObject({ received: z.literal(true) }), 'Taken; it need not be sent again'),
});
paymentsApi.openapi(receive, async (c) => {
  const { provider } = c.req.valid('param');
  if (!(await providerOfMessages(provider, undefined))) throw notFound();
  await consumeForNetwork('payment-webhook', stateOf(c).network, MESSAGES_A_MINUTE, MINUTE);
  // exactly as sent, since the signature covers the bytes
  await receiveMessage(provider, await c.req.text(), c.req.raw.headers);
  return c.json({ received: true as const }, 200);
});

const receiveOfFirm = createRoute({
  method: 'post',
  path: '/api/payments/v1/webhooks/stripe/{companyId}',
  tags: ['Payments'],
  summary: 'Messages about the account at Stripe that a firm has entered, signed with its secret',
  request: { params: z.object({ companyId: z.string() }) },
  responses: responses(z.strictObject({ received: z.literal(true) }), 'Taken; it need not be sent again'),
});
paymentsApi.openapi(receiveOfFirm, async (c) => {
  const { companyId } = c.req.valid('param');
  if (!(await providerOfMessages('stripe', companyId))) throw notFound();
  await consumeForNetwork('payment-webhook', stateOf(c).network, MESSAGES_A_MINUTE, MINUTE);
  await receiveMessage('stripe', await c.req.text(), c.req.raw.headers, companyId);
  return c.json({ received: true as const }, 200);
});
