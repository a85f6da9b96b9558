import { HOUR } from '#platform/runtime/clock.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { mailBeingQueued, mailRecorded } from '#platform/mail/mail-events.server.ts';
import { mailChanged, mailTargetsDone } from '#platform/mail/mail-log.server.ts';
import type messages from '../../../../locales/en-us/notifications.json';
import { contributedSources } from './contributions.server.ts';
import { compareWithMail, linkMail, readByMail } from './mails.server.ts';
import { countUnreadOf, sweepNotifications } from './notifications.server.ts';
import { resolveNotifications } from './rows.server.ts';
import { tables } from './schema.server.ts';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    notifications: typeof messages;
  }
}

export const notifications = defineFeature({
  name: 'notifications',
  tables,
  liveCounts: { unread: countUnreadOf },
  subscriptions: () => [
    ...contributedSources(),
    on(mailBeingQueued, compareWithMail),
    on(mailRecorded, linkMail),
    on(mailChanged, readByMail),
    on(mailTargetsDone, ({ targets, contactId }) => resolveNotifications(targets, { contactId })),
  ],
  sweeps: [{ every: HOUR, run: sweepNotifications }],
});
