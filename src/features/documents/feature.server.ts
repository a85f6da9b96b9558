import type { ApiRoute } from '#features/people/people.ts';
import type { FeatureApi } from '#features/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { blobDamaged, blobRepaired } from '#platform/blobs.server.ts';
import { on } from '#platform/events.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { documentsApi } from './api.server.ts';
import { noteDamaged, noteRepaired } from './damage.server.ts';
import { verifyDocuments } from './verification.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../locales/en-us/documents.json';

const auditActions = {
  'document.upload': {
    text: 'didUpload',
    textByStaff: 'didPublishDocument',
    textInList: 'didUploadOrPublish',
    seenByClient: true,
  },
  'document.damage': { text: 'didDamage', seenByClient: true },
  'document.metadata': { text: 'didMetadata', seenByClient: true },
  'item.lock': { text: 'didFreeze', seenByClient: true },
  'item.unlock': { text: 'didUnfreeze', seenByClient: true },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    documents: typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    documents: typeof messages;
  }
}

export const documents = defineFeature<FeatureApi>({
  name: 'documents',
  tables,
  auditActions,
  subscriptions: [on(blobDamaged, noteDamaged), on(blobRepaired, noteRepaired)],
  api: {
    app: documentsApi,
    routes: [
      ...['clients', 'projects', 'folders'].flatMap((type): ApiRoute[] => [
        { method: 'get', path: `/api/storage/v1/${type}/{id}/documents`, who: 'signed-in' },
        { method: 'post', path: `/api/storage/v1/${type}/{id}/documents/exists`, who: 'signed-in' },
        { method: 'get', path: `/api/storage/v1/${type}/{id}/roles`, who: 'staff' },
        { method: 'put', path: `/api/storage/v1/${type}/{id}/roles/{contactId}`, who: 'staff' },
        { method: 'delete', path: `/api/storage/v1/${type}/{id}/roles/{contactId}`, who: 'staff' },
        { method: 'put', path: `/api/storage/v1/${type}/{id}/lock`, who: 'staff' },
      ]),
      { method: 'get', path: '/api/storage/v1/documents/constraints', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v1/containers/documents', who: 'signed-in' },
      { method: 'put', path: '/api/storage/v1/documents/read', who: 'signed-in' },
      { method: 'put', path: '/api/storage/v1/documents/{id}/lock', who: 'staff' },
      { method: 'put', path: '/api/storage/v1/itemmetadata', who: 'signed-in' },
      // it only reads
      { method: 'post', path: '/api/storage/v1/itemmetadata/filter', who: 'signed-in', whileViewing: true },
      { method: 'post', path: '/api/storage/v1/itemmetadata/remove', who: 'signed-in' },
    ],
  },
  verify: verifyDocuments,
});
