import { MAX_BYTES } from '#features/documents/documents/rules.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import { spaceCounted } from '#features/documents/uploads/events.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { publishingApi } from './api.server.ts';
import { removeOldBatches } from './batches.server.ts';
import { matchNext } from './matching.server.ts';
import { notifyContacts } from './notifying.server.ts';
import { publishBatch } from './publish.server.ts';
import { tables } from './schema.server.ts';
import { countStagedFiles } from './staging.server.ts';
import type messages from '../../../../locales/en-us/publishing.json';

const auditActions = {
  'publishing.start': { text: 'didPublishBatch' },
  'publishing.undo': { text: 'didUndoBatch' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    publishing: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    publishing: typeof messages;
  }
}

export const publishing = defineFeature<FeatureApi>({
  name: 'publishing',
  navigation: [
    {
      side: 'staff',
      page: 'staff/publish',
      order: 40,
      label: text('publishing', 'title'),
      icon: 'upload',
      key: 'p',
    },
    {
      side: 'new',
      group: 'client',
      page: 'staff/publish',
      order: 20,
      label: text('publishing', 'publishDocuments'),
      icon: 'upload',
    },
  ],
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
        takesFiles: MAX_BYTES,
      },
    ],
  },
  subscriptions: [on(spaceCounted, countStagedFiles)],
  jobs: {
    publish: { run: publishBatch, isSlow: true },
    'publish-match': { run: matchNext, isSlow: true },
    'publish-notify': { run: notifyContacts, isSlow: true },
  },
  sweeps: [{ every: HOUR, run: removeOldBatches }],
});
