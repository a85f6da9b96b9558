import type { FeatureAccess } from '../../authz/feature-access.ts';

export const access: FeatureAccess = {
  rules: {
    'post /api/client-center/v1/receipts/list': {
      who: 'signed in',
      sees: ['clientId'],
      changes: ['sealed_files', 'seal_keys', 'limits'],
    },
  },
  requests: {
    'post /api/client-center/v1/receipts/list': [
      { ids: { clientId: 'client' }, send: ({ clientId = '' }) => ({ query: { clientId, lang: 'en-us' } }) },
    ],
  },
  fuzz: { prepare: () => Promise.resolve({ known: { kind: ['upload', 'share'] } }) },
};
