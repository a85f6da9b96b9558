import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { MailKindDeclarations } from '#platform/mail/mail-kinds.ts';
import { text } from '#platform/text/texts.server.ts';
import { sendResetLink, sweepResets } from './reset.server.ts';
import { tables } from './schema.server.ts';
import { settingsRows } from './settings-rows.server.ts';

const auditActions = {
  'password.reset': { text: 'didReset' },
  'firm.create': { text: 'didFirmCreate' },
  'owner.reset': { text: 'didOwnerReset' },
  'rescue.issue': { text: 'didRescue' },
  'rescue.use': { text: 'didRescueUse' },
} as const satisfies AuditActionDeclarations;

const mails = {
  reset: { label: text('mails', 'kindReset'), isSecret: true },
} as const satisfies MailKindDeclarations;

declare module '#platform/mail/mail-kinds.ts' {
  interface MailKinds {
    recovery: typeof mails;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    recovery: typeof auditActions;
  }
}

export const recovery = defineFeature({
  name: 'recovery',
  tables,
  auditActions,
  mails,
  settings: settingsRows,
  jobs: {
    'password-reset': { run: sendResetLink },
  },
  sweeps: [{ every: HOUR, run: sweepResets }],
});
