import { MAX_BYTES } from '#features/documents/documents/rules.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type messages from '../../../../locales/en-us/document-review.json';
import { documentReviewApi } from './api.server.ts';

declare module '#platform/text/translations.server.ts' {
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
        takesFiles: MAX_BYTES,
      },
    ],
  },
});
