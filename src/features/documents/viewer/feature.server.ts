import type { FeatureApi } from '#features/base/people/people.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { viewerApi } from './api.server.ts';
import { newDocuments } from './home-widget.server.ts';
import { searchKind } from './search-kind.server.ts';
import type messages from '../../../../locales/en-us/viewer.json';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    viewer: typeof messages;
  }
}

export const viewer = defineFeature<FeatureApi>({
  name: 'viewer',
  access: [
    {
      name: 'Revert2OldPreview',
      place: 'documents are downloaded, not shown; src/features/documents/viewer/viewer.ts',
      row: { group: 'documents', order: 30, label: text('portal', 'rowViewer'), isInverted: true },
    },
  ],
  widgets: [newDocuments],
  search: [searchKind],
  api: {
    app: viewerApi,
    routes: [
      { method: 'get', path: '/api/storage/v1/documents/{documentId}/pages/{page}', who: 'signed-in' },
    ],
  },
});
