import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { HELD_MAIL } from '#platform/mail.server.ts';
import type messages from '../../../locales/en-us/mails.json';
import { sendHeldMail } from './held.server.ts';

const auditActions = {
  'mail.resend': { text: 'didResend' },
  'notifications.change': { text: 'didNotifications' },
  'notifications.unsubscribe': { text: 'didUnsubscribe' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    mails: typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    mails: typeof messages;
  }
}

export const mails = defineFeature({
  name: 'mails',
  auditActions,
  jobs: { [HELD_MAIL]: { run: sendHeldMail } },
});
