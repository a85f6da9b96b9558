import type { FeatureApi } from '#features/people/people.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { actionsApi } from './api.server.ts';

export const actions = defineFeature<FeatureApi>({
  name: 'actions',
  api: {
    app: actionsApi,
    routes: [{ method: 'get', path: '/api/client-center/v1/actions', who: 'signed-in', part: 'actions' }],
  },
});
