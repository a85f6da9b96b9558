import type { FeatureApi } from '#features/base/people/people.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { runPart } from './running.server.ts';
import { tables } from './schema.server.ts';
import { sweepBatches } from './sweeping.server.ts';

export const batches = defineFeature<FeatureApi>({
  name: 'batches',
  tables,
  jobs: { batch: { run: runPart, isSlow: true } },
  sweeps: [{ every: HOUR, run: sweepBatches }],
});
