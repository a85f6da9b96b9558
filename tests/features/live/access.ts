import type { FeatureAccess } from '../../authz/feature-access.ts';

export const access: FeatureAccess = {
  rules: { 'get /api/notifications/v1/stream': { who: 'signed in' } },
  requests: { 'get /api/notifications/v1/stream': [{ ids: {} }] },
};
