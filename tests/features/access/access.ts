import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toManagers } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  rules: {
    'get /api/client-center/v1/flags': { who: 'signed in' },
    // Nobody in the fixture manages a firm, and no firm has enabled an action: tests/features/access and
    // actions test those who may.
    'put /api/client-center/v1/flags/{flag}': { who: 'nobody here' },
  },
  requests: {
    'get /api/client-center/v1/flags': [{ ids: {} }],
    'put /api/client-center/v1/flags/{flag}': [
      { ids: { flag: 'client' }, send: () => ({ json: { value: true } }) },
    ],
  },
  pages: {
    '/[base]/[lang]/staff/access': toManagers,
  },
  fuzz: {
    prepare: () => Promise.resolve({ known: { flag: ['taskTools'] } }),
  },
};
