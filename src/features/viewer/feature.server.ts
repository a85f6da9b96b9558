import type { FeatureApi } from '#features/people/people.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { viewerApi } from './api.server.ts';
import type messages from '../../../locales/en-us/viewer.json';

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    viewer: typeof messages;
  }
}

export const viewer = defineFeature<FeatureApi>({
  name: 'viewer',
  api: {
    app: viewerApi,
    routes: [
      { method: 'get', path: '/api/storage/v1/documents/{documentId}/pages/{page}', who: 'signed-in' },
    ],
  },
});
