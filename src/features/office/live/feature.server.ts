import type { FeatureApi } from '#features/base/people/people.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { liveApi } from './api.server.ts';
import { stopAnnouncing, sweepAttention } from './attention.server.ts';
import { tables } from './schema.server.ts';

export const live = defineFeature<FeatureApi>({
  name: 'live',
  tables,
  api: {
    app: liveApi,
    routes: [{ method: 'get', path: '/api/notifications/v1/stream', who: 'signed-in', isStream: true }],
  },
  sweeps: [{ every: HOUR, run: sweepAttention }],
  stop: stopAnnouncing,
});
