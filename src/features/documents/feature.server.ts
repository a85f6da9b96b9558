import type { ApiRoute } from '#features/people/people.ts';
import type { FeatureApi } from '#features/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { HOUR } from '#platform/clock.server.ts';
import { on } from '#platform/events.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { documentsApi } from './api.server.ts';
import { documentAdded } from './events.server.ts';
import { scanEarlier, scanLater, scanNew, scanSomeEarlier } from './scanning.server.ts';
import { purgeOldTrash } from './trash.server.ts';
import { sendUploadMails } from './upload-notifications.server.ts';
import { sweepUploads } from './upload-rows.server.ts';
import { tables } from './schema.server.ts';
import { verifyDocuments } from './verification.server.ts';
import type messages from '../../../locales/en-us/documents.json';

const auditActions = {
  'document.upload': { text: 'didUpload', seenByClient: true },
  'document.download': { text: 'didDownload', seenByClient: true },
  'document.view': { text: 'didLook', seenByClient: true },
  'folder.create': { text: 'didFolder', seenByClient: true },
  'container.role': { text: 'didRole', seenByClient: true },
  'item.lock': { text: 'didFreeze', seenByClient: true },
  'item.unlock': { text: 'didUnfreeze', seenByClient: true },
  'document.trash': { text: 'didTrash', seenByClient: true },
  'document.restore': { text: 'didRestoreDocument', seenByClient: true },
  'document.purge': { text: 'didPurge', seenByClient: true },
  'document.export': { text: 'didZip', seenByClient: true },
  'document.alarm': { text: 'didAlarm' },
  'document.metadata': { text: 'didMetadata', seenByClient: true },
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

const CONTAINERS = ['clients', 'projects', 'folders'].map((type) => `/api/storage/v1/${type}/{id}`);

/** The calls about a container and what is in it; roles and locks are given by the firm. */
const ofContainer = (path: string): ApiRoute[] => [
  { method: 'get', path: `${path}/descendants`, who: 'signed-in' },
  { method: 'get', path: `${path}/documents`, who: 'signed-in' },
  { method: 'post', path: `${path}/documents`, who: 'signed-in', takesFiles: true },
  { method: 'post', path: `${path}/documents/exists`, who: 'signed-in' },
  { method: 'get', path: `${path}/documents/{documentId}`, who: 'signed-in' },
  { method: 'delete', path: `${path}/documents/{documentId}`, who: 'signed-in' },
  { method: 'post', path: `${path}/scans`, who: 'signed-in', takesFiles: true },
  { method: 'get', path: `${path}/roles`, who: 'staff' },
  { method: 'put', path: `${path}/roles/{contactId}`, who: 'staff' },
  { method: 'delete', path: `${path}/roles/{contactId}`, who: 'staff' },
  { method: 'put', path: `${path}/lock`, who: 'staff' },
];

export const documents = defineFeature<FeatureApi>({
  name: 'documents',
  tables,
  auditActions,
  api: {
    app: documentsApi,
    routes: [
      { method: 'get', path: '/api/storage/v1/documents/constraints', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v1/containers/documents', who: 'signed-in' },
      { method: 'post', path: '/api/storage/v1/folders', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v1/containers/tree', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v1/containers', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v1/projects', who: 'signed-in' },
      ...CONTAINERS.flatMap(ofContainer),
      { method: 'put', path: '/api/storage/v1/itemmetadata', who: 'signed-in' },
      // it only reads
      { method: 'post', path: '/api/storage/v1/itemmetadata/filter', who: 'signed-in', whileViewing: true },
      { method: 'post', path: '/api/storage/v1/itemmetadata/remove', who: 'signed-in' },
      { method: 'post', path: '/api/storage/v1/notifications/documents/upload', who: 'signed-in' },
      { method: 'put', path: '/api/storage/v1/documents/read', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v1/uploads', who: 'signed-in' },
      { method: 'post', path: '/api/storage/v1/uploads', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v1/uploads/{uploadId}', who: 'signed-in' },
      { method: 'patch', path: '/api/storage/v1/uploads/{uploadId}', who: 'signed-in', takesFiles: true },
      { method: 'delete', path: '/api/storage/v1/uploads/{uploadId}', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v1/documents/trash', who: 'signed-in' },
      { method: 'post', path: '/api/storage/v1/documents/trash', who: 'signed-in' },
      { method: 'put', path: '/api/storage/v1/documents/batch-delete', who: 'signed-in' },
      { method: 'post', path: '/api/storage/v1/documents/restore', who: 'signed-in' },
      { method: 'post', path: '/api/storage/v1/documents/purge', who: 'signed-in' },
      { method: 'put', path: '/api/storage/v1/documents/{id}/lock', who: 'staff' },
    ],
  },
  subscriptions: [on(documentAdded, scanLater)],
  jobs: {
    uploads: { run: sendUploadMails },
    scan: { run: scanNew, isSlow: true },
    'scan-earlier': { run: scanSomeEarlier, isSlow: true },
  },
  verify: verifyDocuments,
  sweeps: [
    { every: HOUR, run: sweepUploads },
    { every: HOUR, run: () => purgeOldTrash() },
    { every: HOUR, run: scanEarlier },
  ],
});
