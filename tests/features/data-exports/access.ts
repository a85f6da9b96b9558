import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toStaffWithARight } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  rules: {
    // Nobody in the fixture manages a firm: tests/features/data-exports tests those who do.
    'get /api/client-center/v1/data-exports/{exportId}/file': { who: 'nobody here' },
  },
  requests: {
    'get /api/client-center/v1/data-exports/{exportId}/file': [{ ids: { exportId: 'export' } }],
  },
  pages: {
    '/[base]/[lang]/staff/data-exports': toStaffWithARight,
  },
  fuzz: {
    notHere: {
      'GET /api/client-center/v1/data-exports/{exportId}/file': 'no export was made',
    },
  },
};
