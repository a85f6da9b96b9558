import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { defineFeature } from '#platform/feature.server.ts';

const auditActions = {
  'client.merge': { text: 'didClientMerge' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    merging: typeof auditActions;
  }
}

export const merging = defineFeature({ name: 'merging', auditActions });
