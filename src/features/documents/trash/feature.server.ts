import type { ReceiptKindDeclarations } from '#features/base/receipts/kinds.ts';
import type { ApiRoute } from '#features/base/people/people.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { clientMerged } from '#features/base/people/merged-clients.server.ts';
import { exportedHold } from './exporting.server.ts';
import { trashApi } from './api.server.ts';
import { purgeOldFolders } from './folder-trash.server.ts';
import { followMergedClient } from './legal-holds.server.ts';
import { tables } from './schema.server.ts';
import { purgeOldTrash } from './trash.server.ts';
import { text } from '#platform/text/texts.server.ts';
import type messages from '../../../../locales/en-us/trash.json';

const auditActions = {
  'document.trash': { text: 'didTrash', seenByClient: true },
  'document.restore': { text: 'didRestoreDocument', seenByClient: true },
  'folder.trash': { text: 'didTrashFolder', seenByClient: true },
  'folder.restore': { text: 'didRestoreFolder', seenByClient: true },
  'document.purge': { text: 'didPurge', seenByClient: true },
  'client.hold': { text: 'didHold' },
  'client.release': { text: 'didRelease' },
} as const satisfies AuditActionDeclarations;

const receiptKinds = {
  delete: { label: text('trash', 'receiptKind') },
} as const satisfies ReceiptKindDeclarations;

declare module '#features/base/receipts/kinds.ts' {
  interface ReceiptKinds {
    trash: typeof receiptKinds;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    trash: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    trash: typeof messages;
  }
}

export const trash = defineFeature<FeatureApi>({
  name: 'trash',
  receiptKinds,
  tables,
  auditActions,
  exports: [exportedHold],
  api: {
    app: trashApi,
    routes: [
      ...['clients', 'projects', 'folders'].flatMap((type): ApiRoute[] => [
        { method: 'delete', path: `/api/storage/v1/${type}/{id}/documents/{documentId}`, who: 'signed-in' },
      ]),
      { method: 'delete', path: '/api/storage/v1/projects/{id}', who: 'staff' },
      { method: 'delete', path: '/api/storage/v1/folders/{id}', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v1/folders/trash', who: 'signed-in' },
      { method: 'post', path: '/api/storage/v1/folders/{id}/restore', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v1/documents/trash', who: 'signed-in' },
      { method: 'post', path: '/api/storage/v1/documents/trash', who: 'signed-in' },
      { method: 'put', path: '/api/storage/v1/documents/batch-delete', who: 'signed-in' },
      { method: 'post', path: '/api/storage/v1/documents/restore', who: 'signed-in' },
      { method: 'post', path: '/api/storage/v1/documents/purge', who: 'signed-in' },
    ],
  },
  subscriptions: [on(clientMerged, followMergedClient)],
  sweeps: [
    {
      every: HOUR,
      run: async () => {
        await purgeOldTrash();
        await purgeOldFolders();
      },
    },
  ],
});
