import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { tables } from './schema.server.ts';

const auditActions = {
  'client.merge': { text: 'didClientMerge' },
  'client.dismiss-duplicate': { text: 'didDismissDuplicate' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    merging: typeof auditActions;
  }
}

export const merging = defineFeature({ name: 'merging', tables, auditActions });
