import type { FeatureApi } from '#features/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { HOUR } from '#platform/clock.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import type messages from '../../../locales/en-us/task-batches.json';
import { runStep, sweepBatches } from './running.server.ts';
import { tables } from './schema.server.ts';

const auditActions = {
  'task-batch.start': { text: 'didTaskBatchStart' },
  'task-batch.stop': { text: 'didTaskBatchStop' },
  'task-batch.undo': { text: 'didTaskBatchUndo' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    'task-batches': typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    'task-batches': typeof messages;
  }
}

export const taskBatches = defineFeature<FeatureApi>({
  name: 'task-batches',
  tables,
  auditActions,
  jobs: { 'task-batch': { run: runStep, isSlow: true } },
  sweeps: [{ every: HOUR, run: sweepBatches }],
});
