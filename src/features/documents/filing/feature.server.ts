import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { filingApi } from './api.server.ts';
import { copyBatch } from './folder-copies.server.ts';
import type messages from '../../../../locales/en-us/filing.json';

const auditActions = {
  'document.rename': { text: 'didRenameDocument', seenByClient: true },
  'document.move': { text: 'didMoveDocument', seenByClient: true },
  'document.copy': { text: 'didCopyDocument', seenByClient: true },
  'folder.rename': { text: 'didRenameFolder', seenByClient: true },
  'folder.move': { text: 'didMoveFolder', seenByClient: true },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    filing: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    filing: typeof messages;
  }
}

export const filing = defineFeature<FeatureApi>({
  name: 'filing',
  auditActions,
  jobs: { 'copy-folder': { run: copyBatch, isSlow: true } },
  api: {
    app: filingApi,
    routes: [
      { method: 'put', path: '/api/storage/v1/documents/{id}/name', who: 'signed-in' },
      { method: 'put', path: '/api/storage/v1/projects/{id}/name', who: 'staff' },
      { method: 'put', path: '/api/storage/v1/folders/{id}/name', who: 'signed-in' },
      { method: 'put', path: '/api/storage/v1/items/move', who: 'signed-in' },
      { method: 'post', path: '/api/storage/v1/items/copy', who: 'signed-in' },
    ],
  },
});
