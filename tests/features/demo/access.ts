import type { FeatureAccess } from '../../authz/feature-access.ts';
import { nowhere, ok } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  rules: {
    'get /api/demo/v1/mails/{id}': { who: 'demo' },
  },
  requests: {
    'get /api/demo/v1/mails/{id}': [{ ids: { id: 'mail' } }],
  },
  pages: {
    '/[base]/[lang]/mailbox': (_, isDemo) => (isDemo ? ok : nowhere),
    '/[base]/[lang]/mailbox/[id]': (_, isDemo) => (isDemo ? ok : nowhere),
  },
  postedByReaders: ['/[base]/[lang]/mailbox', '/[base]/[lang]/mailbox/[id]'],
};
