import type { FeatureApi } from '#features/people/people.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { staffApi } from './api.server.ts';

export const staff = defineFeature<FeatureApi>({
  name: 'staff',
  api: {
    app: staffApi,
    routes: [
      { method: 'post', path: '/api/security/v1/view-as', who: 'staff', permission: 'ViewAs' },
      { method: 'delete', path: '/api/security/v1/view-as', who: 'signed-in', whileViewing: true },
    ],
  },
});
