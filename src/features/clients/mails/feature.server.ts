import { countOfPage } from '#features/base/grids/counting.server.ts';
import { gridRoutes } from '#features/base/grids/grid-api.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { MailKindDeclarations } from '#platform/mail/mail-kinds.ts';
import { text } from '#platform/text/texts.server.ts';
import { addDays } from '#platform/text/time-zones.ts';
import { DAILY_MAIL } from '#platform/mail/mail-kinds.server.ts';
import { HELD_MAIL } from '#platform/mail/mail.server.ts';
import type messages from '../../../../locales/en-us/mails.json';
import { exportedMails } from './exporting.server.ts';
import { mailsApi } from './api.server.ts';
import { sendHeldMail } from './held.server.ts';
import { mailsGrid } from './mails-grid.server.ts';
import { inboxKinds } from './inbox-kinds.server.ts';
import { settingsRows } from './settings-rows.server.ts';

const auditActions = {
  'mail.resend': { text: 'didResend' },
  'notifications.change': { text: 'didNotifications' },
  'notifications.unsubscribe': { text: 'didUnsubscribe' },
  'profile.phrase': { text: text('mails', 'didPhrase') },
} as const satisfies AuditActionDeclarations;

/** Kinds that several features send, none of which imports another. */
const kinds = {
  'access-code': { label: text('mails', 'kindAccessCode') },
  [DAILY_MAIL]: {
    label: text('mails', 'kindDaily'),
    optional: { contact: text('mails', 'notifyDaily'), staff: text('mails', 'notifyDaily') },
    isScheduled: true,
  },
  security: { label: text('mails', 'kindSecurity') },
  test: { label: text('mails', 'kindTest') },
} as const satisfies MailKindDeclarations;

declare module '#platform/mail/mail-kinds.ts' {
  interface MailKinds {
    mails: typeof kinds;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    mails: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    mails: typeof messages;
  }
}

export const mails = defineFeature<FeatureApi>({
  name: 'mails',
  notifications: { security: { icon: 'lock', ofMails: ['security'] } },
  navigation: [
    {
      side: 'staff',
      page: 'staff/mails',
      order: 60,
      label: text('mails', 'title'),
      icon: 'mail',
      key: 'm',
    },
    {
      side: 'account',
      page: 'profile/notifications',
      order: 30,
      label: text('mails', 'notifyTitle'),
      isFor: ({ viewing }) => !viewing,
    },
  ],
  auditActions,
  exports: exportedMails,
  mails: kinds,
  inbox: inboxKinds,
  figures: [
    {
      id: 'mails',
      group: 'reach',
      order: 10,
      label: text('overview', 'mails'),
      page: 'staff/mails',
      query: (today) => ({ state: 'bounced', from: addDays(today, -7) }),
      count: (actor, query) => countOfPage(mailsGrid, actor, query),
    },
  ],
  settings: settingsRows,
  api: { app: mailsApi, routes: gridRoutes(mailsGrid, { who: 'staff' }) },
  jobs: { [HELD_MAIL]: { run: sendHeldMail } },
});
