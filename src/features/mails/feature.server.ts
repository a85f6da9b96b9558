import { gridRoutes } from '#features/grids/grid-api.server.ts';
import type { FeatureApi } from '#features/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { HELD_MAIL } from '#platform/mail.server.ts';
import type messages from '../../../locales/en-us/mails.json';
import { mailsApi } from './api.server.ts';
import { sendHeldMail } from './held.server.ts';
import { mailsGrid } from './mails-grid.server.ts';

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

export const mails = defineFeature<FeatureApi>({
  name: 'mails',
  auditActions,
  api: { app: mailsApi, routes: gridRoutes(mailsGrid, { who: 'staff' }) },
  jobs: { [HELD_MAIL]: { run: sendHeldMail } },
});
