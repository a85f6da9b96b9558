import { expect, test, vi } from 'vitest';

/* The account of the operator at Stripe is that of the firm in a portal that has one firm. */

vi.stubEnv('STRIPE_SECRET_KEY', 'sk_test_of_the_operator');
vi.stubEnv('STRIPE_WEBHOOK_SECRET', 'whsec_of_the_operator');

const { createFirm } = await import('#features/base/firms/firms.server.ts');
const { stripeAccountOf } = await import('#features/payments/payments/providers/stripe-accounts.server.ts');
const { migrate } = await import('#platform/database/database.server.ts');
await import('../../../src/app.server.ts');
await migrate();

const newFirm = (name: string): Promise<string> =>
  createFirm({ name, phone: '', email: 'office@one.example', language: 'en-us' });

test('the keys of the installation are those of its only firm, and of none once there are two', async () => {
  const only = await newFirm('Only');
  expect(await stripeAccountOf(only)).toMatchObject({ secretKey: 'sk_test_of_the_operator' });
  const second = await newFirm('Second');
  expect([await stripeAccountOf(only), await stripeAccountOf(second)]).toEqual([undefined, undefined]);
  vi.unstubAllEnvs();
});
