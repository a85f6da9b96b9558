import type { FeatureApi } from '#features/people/people.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { signingRequestsApi } from './api.server.ts';

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
        takesFiles: true,
      },
    ],
  },
});
