import { gridRoutes } from '#features/base/grids/grid-api.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { reportsApi } from './api.server.ts';
import { registrationsGrid } from './registrations.server.ts';
import { storedDocumentsGrid } from './stored-documents.server.ts';
import type messages from '../../../../locales/en-us/reports.json';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    reports: typeof messages;
  }
}

export const reports = defineFeature<FeatureApi>({
  name: 'reports',
  access: [
    {
      name: 'Reports',
      place: 'the actions of br-reports',
    },
  ],
  api: {
    app: reportsApi,
    routes: [storedDocumentsGrid, registrationsGrid].flatMap((grid) =>
      gridRoutes(grid, { who: 'signed-in', part: 'actions' }),
    ),
  },
});
