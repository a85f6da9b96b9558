import type { FeatureApi } from '#features/people/people.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { loggingApi } from './api.server.ts';

export const logging = defineFeature<FeatureApi>({
  name: 'logging',
  api: {
    app: loggingApi,
    // errors happen on the page to sign in, before terms and while viewing as somebody, too
    routes: [
      {
        method: 'post',
        path: '/api/logging/v1/log',
        who: 'visitor',
        beforeTerms: true,
        whileViewing: true,
        forReadOnly: true,
      },
    ],
  },
});
