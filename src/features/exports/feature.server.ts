import type { FeatureApi } from '#features/people/people.server.ts';
import { HOUR } from '#platform/clock.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { exportsApi } from './api.server.ts';
import { continueExport, sweepExports } from './exports.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../locales/en-us/exports.json';

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    exports: typeof messages;
  }
}

export const exports = defineFeature<FeatureApi>({
  name: 'exports',
  tables,
  api: {
    app: exportsApi,
    routes: [
      { method: 'post', path: '/api/storage/v1/jobs/export', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v1/jobs/{jobId}', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v1/jobs/{jobId}/result', who: 'signed-in' },
      { method: 'delete', path: '/api/storage/v1/jobs/{jobId}', who: 'signed-in' },
    ],
  },
  jobs: {
    export: { run: continueExport },
  },
  sweeps: [{ every: HOUR, run: sweepExports }],
});
