import type { FeatureApi } from '#features/people/people.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { accessApi } from './api.server.ts';

export const access = defineFeature<FeatureApi>({
  name: 'access',
  api: {
    app: accessApi,
    routes: [
      { method: 'get', path: '/api/client-center/v1/flags', who: 'signed-in' },
      { method: 'put', path: '/api/client-center/v1/flags/{flag}', who: 'staff', permission: 'ManageFirm' },
    ],
  },
});
