import type { FeatureApi } from '#features/people/people.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { peopleApi } from './api.server.ts';

export const people = defineFeature<FeatureApi>({
  name: 'people',
  api: {
    app: peopleApi,
    routes: [
      { method: 'get', path: '/api/profile/v1/users/current', who: 'signed-in' },
      { method: 'put', path: '/api/profile/v1/users/current', who: 'signed-in' },
      { method: 'put', path: '/api/profile/v1/users/{prismGuid}/language', who: 'signed-in' },
      { method: 'get', path: '/api/profile/v1/contacts', who: 'signed-in' },
    ],
  },
});
