import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { HOUR } from '#platform/clock.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { sendResetLink, sweepResets } from './reset.server.ts';
import { tables } from './schema.server.ts';

const auditActions = {
  'password.reset': { text: 'didReset' },
  'firm.create': { text: 'didFirmCreate' },
  'owner.reset': { text: 'didOwnerReset' },
  'rescue.issue': { text: 'didRescue' },
  'rescue.use': { text: 'didRescueUse' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    recovery: typeof auditActions;
  }
}

export const recovery = defineFeature({
  name: 'recovery',
  tables,
  auditActions,
  jobs: {
    'password-reset': { run: sendResetLink },
  },
  sweeps: [{ every: HOUR, run: sweepResets }],
});
