import type { ReceiptKindDeclarations } from '#features/base/receipts/kinds.ts';
import type { ApiRoute } from '#features/base/people/people.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { downloadsApi } from './api.server.ts';
import { continueExport, sweepExports } from './exports.server.ts';
import { tables } from './schema.server.ts';
import { text } from '#platform/text/texts.server.ts';
import type messages from '../../../../locales/en-us/exports.json';

const auditActions = {
  'document.download': { text: 'didDownload', seenByClient: true },
  'document.view': { text: 'didLook', seenByClient: true },
  'document.export': { text: 'didZip', seenByClient: true },
  'document.alarm': { text: 'didAlarm' },
} as const satisfies AuditActionDeclarations;

const receiptKinds = {
  download: { label: text('exports', 'receiptKind') },
} as const satisfies ReceiptKindDeclarations;

declare module '#features/base/receipts/kinds.ts' {
  interface ReceiptKinds {
    downloads: typeof receiptKinds;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    downloads: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    exports: typeof messages;
  }
}

export const downloads = defineFeature<FeatureApi>({
  name: 'downloads',
  receiptKinds,
  tables,
  auditActions,
  api: {
    app: downloadsApi,
    routes: [
      ...['clients', 'projects', 'folders'].flatMap((type): ApiRoute[] => [
        { method: 'get', path: `/api/storage/v1/${type}/{id}/documents/{documentId}`, who: 'signed-in' },
      ]),
      { method: 'post', path: '/api/storage/v1/jobs/export', who: 'signed-in', forReadOnly: true },
      { method: 'get', path: '/api/storage/v1/jobs/{jobId}', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v1/jobs/{jobId}/result', who: 'signed-in' },
      { method: 'delete', path: '/api/storage/v1/jobs/{jobId}', who: 'signed-in', forReadOnly: true },
    ],
  },
  jobs: {
    export: { run: continueExport },
  },
  sweeps: [{ every: HOUR, run: sweepExports }],
});
