import type { FeatureAccess } from '../../authz/feature-access.ts';

export const access: FeatureAccess = {
  // without a connection that stays open there is no stream: tests/features/live/streams.test.ts and e2e/live.spec.ts have some
  rules: { 'get /api/notifications/v1/stream': { who: 'signed in', answers: [204] } },
  requests: { 'get /api/notifications/v1/stream': [{ ids: {} }] },
};
