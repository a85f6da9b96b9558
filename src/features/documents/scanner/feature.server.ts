import type { ApiRoute } from '#features/base/people/people.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { scannerApi } from './api.server.ts';
import type messages from '../../../../locales/en-us/scan.json';
import { MAX_PHOTO_BYTES } from './rules.ts';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    scan: typeof messages;
  }
}

export const scanner = defineFeature<FeatureApi>({
  name: 'scanner',
  access: [
    {
      name: 'HideScanFromDevice',
      place: 'scanning with the camera, page and call; src/features/documents/scanner/scanner.server.ts',
      row: {
        group: 'documents',
        order: 20,
        label: text('portal', 'rowScan'),
        isShown: true,
        isInverted: true,
      },
    },
  ],
  api: {
    app: scannerApi,
    routes: [
      ...['clients', 'projects', 'folders'].flatMap((type): ApiRoute[] => [
        {
          method: 'post',
          path: `/api/storage/v1/${type}/{id}/scans`,
          who: 'signed-in',
          takesFiles: MAX_PHOTO_BYTES,
        },
      ]),
    ],
  },
});
