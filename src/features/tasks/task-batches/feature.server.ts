import { continueEarlier } from '#features/base/batches/earlier-jobs.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type messages from '../../../../locales/en-us/task-batches.json';
import { taskBatchKind } from './batch-kind.server.ts';
import { tables } from './schema.server.ts';

const auditActions = {
  'task-batch.start': { text: 'didTaskBatchStart' },
  'task-batch.stop': { text: 'didTaskBatchStop' },
  'task-batch.undo': { text: 'didTaskBatchUndo' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    'task-batches': typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'task-batches': typeof messages;
  }
}

export const taskBatches = defineFeature<FeatureApi>({
  name: 'task-batches',
  tables,
  auditActions,
  batches: { [taskBatchKind.name]: taskBatchKind },
  jobs: { 'task-batch': { run: continueEarlier, isSlow: true } },
});
