import type { FeatureApi } from '#features/base/people/people.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { addressesApi } from './api.server.ts';

export const addresses = defineFeature<FeatureApi>({
  name: 'addresses',
  api: {
    app: addressesApi,
    routes: [
      { method: 'get', path: '/api/core/v1/contact-address-countries', who: 'signed-in' },
      { method: 'get', path: '/api/core/v1/contact-address-state-provinces', who: 'signed-in' },
    ],
  },
});
