import type { FeatureApi } from '#features/people/people.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { clientsApi } from './api.server.ts';

export const clients = defineFeature<FeatureApi>({
  name: 'clients',
  api: {
    app: clientsApi,
    routes: [
      { method: 'get', path: '/api/client-center/v1/clients/', who: 'signed-in' },
      // it only reads
      {
        method: 'post',
        path: '/api/core/v3/companies/{companyId}/clients/search',
        who: 'signed-in',
        whileViewing: true,
      },
    ],
  },
});
