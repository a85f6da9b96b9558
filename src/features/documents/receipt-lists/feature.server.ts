import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { receiptListsApi } from './api.server.ts';

const auditActions = {
  'receipt.list': { text: text('receipts', 'didList'), seenByClient: true },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    receiptLists: typeof auditActions;
  }
}

export const receiptLists = defineFeature<FeatureApi>({
  name: 'receipt-lists',
  auditActions,
  api: {
    app: receiptListsApi,
    routes: [{ method: 'post', path: '/api/client-center/v1/receipts/list', who: 'signed-in' }],
  },
});
