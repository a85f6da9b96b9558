import type { FeatureApi } from '#features/people/people.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import type messages from '../../../locales/en-us/document-review.json';
import { documentReviewApi } from './api.server.ts';

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    'document-review': typeof messages;
  }
}

export const documentReview = defineFeature<FeatureApi>({
  name: 'document-review',
  api: {
    app: documentReviewApi,
    routes: [
      {
        method: 'post',
        path: '/api/client-center/v3/tasks/{taskId}/versions',
        who: 'staff',
        permission: 'Publish',
        takesFiles: true,
      },
    ],
  },
});
