import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { tables } from './schema.server.ts';

const auditActions = {
  'seal-key.make': { text: 'didSealKeyMake' },
  'seal-key.load': { text: 'didSealKeyLoad' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    seals: typeof auditActions;
  }
}

export const seals = defineFeature({
  name: 'seals',
  tables,
  auditActions,
});
