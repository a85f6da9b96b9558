import type { FeatureApi } from '#features/people/people.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { demoApi } from './api.server.ts';

export const demo = defineFeature<FeatureApi>({
  name: 'demo',
  api: {
    app: demoApi,
    routes: [{ method: 'get', path: '/api/demo/v1/mails/{id}', who: 'demo' }],
  },
});
