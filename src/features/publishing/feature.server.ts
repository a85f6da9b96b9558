import type { FeatureApi } from '#features/people/people.server.ts';
import { spaceCounted } from '#features/uploads/events.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { HOUR } from '#platform/clock.server.ts';
import { on } from '#platform/events.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { publishingApi } from './api.server.ts';
import { removeOldBatches } from './batches.server.ts';
import { publishBatch } from './publish.server.ts';
import { tables } from './schema.server.ts';
import { countStagedFiles } from './staging.server.ts';
import type messages from '../../../locales/en-us/publishing.json';

const auditActions = {
  'publishing.start': { text: 'didPublishBatch' },
  'publishing.undo': { text: 'didUndoBatch' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    publishing: typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    publishing: typeof messages;
  }
}

export const publishing = defineFeature<FeatureApi>({
  name: 'publishing',
  tables,
  auditActions,
  api: {
    app: publishingApi,
    routes: [
      {
        method: 'post',
        path: '/api/storage/v1/publish-batches/{id}/files',
        who: 'staff',
        permission: 'Publish',
        takesFiles: true,
      },
    ],
  },
  subscriptions: [on(spaceCounted, countStagedFiles)],
  jobs: { publish: { run: publishBatch, isSlow: true } },
  sweeps: [{ every: HOUR, run: removeOldBatches }],
});
