import type { FeatureApi } from '#features/base/people/people.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { signingRequestsApi } from './api.server.ts';
import { MAX_DOCUMENT } from '#features/signing/signing/signing.ts';

export const signingRequests = defineFeature<FeatureApi>({
  name: 'signing-requests',
  api: {
    app: signingRequestsApi,
    routes: [
      {
        method: 'post',
        path: '/api/client-center/v3/signing/clients/{clientId}/documents',
        who: 'staff',
        permission: 'Publish',
        takesFiles: MAX_DOCUMENT,
      },
    ],
  },
});
