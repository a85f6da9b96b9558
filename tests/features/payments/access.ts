import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toManagers, toNobody, toWriters } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  rules: {
    // the signature of the provider is tested in tests/features/payments/messages.test.ts
    'post /api/payments/v1/webhooks/{provider}': { who: 'nobody without a payment provider' },
    'post /api/payments/v1/webhooks/stripe/{companyId}': { who: 'nobody without a payment provider' },
  },
  requests: {
    // without a signature, whoever sends it
    'post /api/payments/v1/webhooks/{provider}': [
      { ids: {}, path: { provider: 'stripe' }, send: () => ({ json: { id: 'evt_1' } }) },
    ],
    'post /api/payments/v1/webhooks/stripe/{companyId}': [
      { ids: { companyId: 'company' }, send: () => ({ json: { id: 'evt_1' } }) },
    ],
  },
  pages: {
    '/[base]/[lang]/staff/tasks/payment': toWriters,
    '/[base]/[lang]/staff/payments': toManagers,
    // the address of the sandbox's page is signed, and outside a demo it is not offered
    '/[base]/[lang]/sandbox-checkout/[token]': toNobody,
  },
  postedByReaders: ['/[base]/[lang]/sandbox-checkout/[token]'],
  fuzz: {
    notHere: {
      'POST /api/payments/v1/webhooks/stripe/{companyId}': 'no firm has an account at Stripe',
      'POST /api/payments/v1/webhooks/{provider}': 'no provider is set up',
    },
  },
};
