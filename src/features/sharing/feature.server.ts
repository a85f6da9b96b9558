import type { FeatureApi } from '#features/people/people.server.ts';
import { HOUR, SECOND } from '#platform/clock.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { sharingApi } from './api.server.ts';
import { sweepShares } from './store.server.ts';
import { abortTransfersOfEnded } from './under-way.server.ts';

export const sharing = defineFeature<FeatureApi>({
  name: 'sharing',
  api: {
    app: sharingApi,
    routes: [
      { method: 'post', path: '/api/storage/v2/sharing/share', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v2/sharing/shares', who: 'signed-in' },
      { method: 'post', path: '/api/storage/v2/sharing/shares/{shareId}/extend', who: 'signed-in' },
      {
        method: 'delete',
        path: '/api/storage/v2/sharing/shares/{shareId}/recipients/{recipientId}',
        who: 'signed-in',
      },
      { method: 'delete', path: '/api/storage/v2/sharing/shares/{shareId}', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v2/sharing/links/{token}/documents/{documentId}', who: 'visitor' },
      { method: 'get', path: '/api/storage/v2/sharing/links/{token}/documents.zip', who: 'visitor' },
    ],
  },
  sweeps: [
    { every: HOUR, run: sweepShares },
    { every: SECOND, run: abortTransfersOfEnded, failure: { level: 'error', event: 'cut-off.failed' } },
  ],
});
