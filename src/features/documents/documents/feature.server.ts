import type { ReceiptKindDeclarations } from '#features/base/receipts/kinds.ts';
import type { ApiRoute } from '#features/base/people/people.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { blobDamaged, blobRepaired } from '#platform/storage/blobs.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { exportedDetails } from './exported-details.server.ts';
import { exportedReceipts } from './exported-receipts.server.ts';
import { documentsApi } from './api.server.ts';
import { noteDamaged, noteRepaired } from './damage.server.ts';
import { currentDocumentNames } from './names.server.ts';
import { verifyDocuments } from './verification.server.ts';
import { inboxKinds } from './inbox-kinds.server.ts';
import { tables } from './schema.server.ts';
import { companyFacts } from './company-facts.server.ts';
import type messages from '../../../../locales/en-us/documents.json';

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

const receiptKinds = {
  upload: { label: text('documents', 'receiptKind'), filterOrder: 10 },
} as const satisfies ReceiptKindDeclarations;

declare module '#features/base/receipts/kinds.ts' {
  interface ReceiptKinds {
    documents: typeof receiptKinds;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    documents: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    documents: typeof messages;
  }
}

export const documents = defineFeature<FeatureApi>({
  name: 'documents',
  access: [
    {
      name: 'ShowClientDocsReadToggle',
      place:
        'the filter of unread documents and marking them, page and call; src/features/documents/documents/reading.server.ts',
      row: { group: 'documents', order: 40, label: text('portal', 'rowUnread'), isShown: true },
    },
    {
      name: 'DocumentDeepLink',
      place: 'links to one document; src/pages/[base]/[lang]/documents/',
      row: { group: 'documents', order: 50, label: text('portal', 'rowDocumentLinks') },
    },
  ],
  receiptKinds,
  navigation: [
    {
      side: 'client',
      page: 'documents',
      order: 30,
      label: text('common', 'tabDocuments'),
      icon: 'file-text',
    },
  ],
  companyFacts,
  names: { doc: currentDocumentNames },
  tables,
  auditActions,
  inbox: inboxKinds,
  figures: [
    {
      id: 'documents',
      group: 'firm',
      order: 20,
      label: text('overview', 'documents'),
      inboxKind: 'documents',
    },
  ],
  exports: [...exportedDetails, exportedReceipts],
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
