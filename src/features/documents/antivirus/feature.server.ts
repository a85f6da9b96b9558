import { documentAdded } from '#features/documents/documents/events.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { scanEarlier, scanLater, scanNew, scanSomeEarlier } from './antivirus.server.ts';

export const antivirus = defineFeature({
  name: 'antivirus',
  subscriptions: [on(documentAdded, scanLater)],
  jobs: {
    scan: { run: scanNew, isSlow: true },
    'scan-earlier': { run: scanSomeEarlier, isSlow: true },
  },
  sweeps: [{ every: HOUR, run: scanEarlier }],
});
