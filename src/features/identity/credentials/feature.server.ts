import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { MailKindDeclarations } from '#platform/mail/mail-kinds.ts';
import { text } from '#platform/text/texts.server.ts';
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

const mails = {
  'email-change': { label: text('mails', 'kindEmailChange'), isSecret: true },
} as const satisfies MailKindDeclarations;

declare module '#platform/mail/mail-kinds.ts' {
  interface MailKinds {
    credentials: typeof mails;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    credentials: typeof auditActions;
  }
}

export const credentials = defineFeature({
  name: 'credentials',
  tables,
  auditActions,
  mails,
  jobs: {
    'sign-in-refused': { run: recordRefusal },
  },
  sweeps: [{ every: HOUR, run: sweepDevices }],
});
