import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { HOUR } from '#platform/clock.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { sweepDevices } from './brute-force.server.ts';
import { recordRefusal } from './refusals.server.ts';
import { tables } from './schema.server.ts';

const auditActions = {
  'sign-in.failed': { text: 'didSignInFail' },
  'sign-in.locked': { text: 'didSignInLock' },
  'sign-in.refused': { text: 'didSignInRefuse' },
  'email.request': { text: 'didEmailRequest' },
  'email.change': { text: 'didEmailChange' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    credentials: typeof auditActions;
  }
}

export const credentials = defineFeature({
  name: 'credentials',
  tables,
  auditActions,
  jobs: {
    'sign-in-refused': { run: recordRefusal },
  },
  sweeps: [{ every: HOUR, run: sweepDevices }],
});
