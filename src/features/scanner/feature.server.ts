import type { ApiRoute } from '#features/people/people.ts';
import type { FeatureApi } from '#features/people/people.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { scannerApi } from './api.server.ts';
import type messages from '../../../locales/en-us/scan.json';

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    scan: typeof messages;
  }
}

export const scanner = defineFeature<FeatureApi>({
  name: 'scanner',
  api: {
    app: scannerApi,
    routes: [
      ...['clients', 'projects', 'folders'].flatMap((type): ApiRoute[] => [
        { method: 'post', path: `/api/storage/v1/${type}/{id}/scans`, who: 'signed-in', takesFiles: true },
      ]),
    ],
  },
});
