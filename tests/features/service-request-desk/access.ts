import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toWritersWithId } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  rules: {
    'get /api/service-request/v1/grids/requests': { who: 'staff' },
    'get /api/service-request/v1/grids/requests/export': { who: 'staff' },
    'post /api/service-request/v1/exports': {
      who: 'staff',
      sees: ['ids'],
      changes: ['batches', 'service_request_batches', 'service_request_batch_rows'],
    },
    // nobody's: tests/features/service-request-desk has what is exported
    'get /api/service-request/v1/exports/{id}': { who: 'staff', forWriters: true, answers: [404] },
  },
  requests: {
    'get /api/service-request/v1/grids/requests': [{ ids: {} }],
    'get /api/service-request/v1/grids/requests/export': [
      { ids: {}, send: () => ({ query: { format: 'csv' } }) },
    ],
    'post /api/service-request/v1/exports': [
      { ids: { ids: 'service request' }, send: ({ ids = '' }) => ({ json: { ids: [ids] } }) },
    ],
    'get /api/service-request/v1/exports/{id}': [
      { ids: {}, path: { id: 'requestbatch_0' }, named: ['format', 'lang'] },
    ],
  },
  fuzz: {
    notHere: {
      'POST /api/service-request/v1/exports': 'no request was sent',
      'GET /api/service-request/v1/exports/{id}': 'no export was made',
    },
  },
  pages: { '/[base]/[lang]/staff/service-requests/batches/[batchId]': toWritersWithId },
};
